//! The layer that records calls.

use super::{Audit, AuditSink};
use std::sync::Arc;
use tower_layer::Layer;

/// The layer that records one event for each tool call, and holds the reply back until the event is stored.
#[derive(Debug, Clone)]
pub struct AuditLayer {
    sink: Arc<dyn AuditSink>,
}

impl AuditLayer {
    /// Creates a layer that records to a sink.
    #[must_use]
    pub fn new(sink: Arc<dyn AuditSink>) -> Self {
        Self { sink }
    }
}

impl<S> Layer<S> for AuditLayer {
    type Service = Audit<S>;

    fn layer(&self, inner: S) -> Audit<S> {
        Audit { inner, sink: self.sink.clone() }
    }
}
