//! The layer that identifies the caller.

use super::Identity;
use crate::audit::AuditSink;
use std::sync::Arc;
use tower_layer::Layer;

/// The layer that finds the caller of every request and the agents that it acts for, and refuses tool calls on sessions without a
/// principal.
#[derive(Debug, Clone)]
pub struct IdentityLayer {
    sink: Arc<dyn AuditSink>,
}

impl IdentityLayer {
    /// Creates a layer that records refused requests to a sink, except tool calls, which the outer audit layer records.
    #[must_use]
    pub fn new(sink: Arc<dyn AuditSink>) -> Self {
        Self { sink }
    }
}

impl<S> Layer<S> for IdentityLayer {
    type Service = Identity<S>;

    fn layer(&self, inner: S) -> Identity<S> {
        Identity { inner, sink: self.sink.clone() }
    }
}
