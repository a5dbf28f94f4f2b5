//! The layer that knows the caller.

use super::Identity;
use crate::audit::AuditSink;
use std::sync::Arc;
use tower_layer::Layer;

/// Refuses tool calls on sessions that belong to nobody, and tells the inner layers who calls, and on whose behalf.
#[derive(Debug, Clone)]
pub struct IdentityLayer {
    sink: Arc<dyn AuditSink>,
}

impl IdentityLayer {
    /// Creates a layer that records to a sink what it refuses of methods that call no tool. The audit layer, outside, records calls.
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
