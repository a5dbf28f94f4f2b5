//! The layer that counts tool calls.

use super::{Metrics, service::CountCalls};
use std::sync::Arc;
use tower_layer::Layer;

/// The layer that counts each tool call at its end, and measures its duration. It is outside the audit, so that the duration
/// includes storing the call's event.
#[derive(Debug, Clone)]
pub(crate) struct CountCallsLayer {
    metrics: Option<Arc<Metrics>>,
}

impl CountCallsLayer {
    /// Creates a layer that counts in `metrics`; `None` for one that counts nothing.
    pub(crate) fn new(metrics: Option<Arc<Metrics>>) -> Self {
        Self { metrics }
    }
}

impl<S> Layer<S> for CountCallsLayer {
    type Service = CountCalls<S>;

    fn layer(&self, inner: S) -> CountCalls<S> {
        CountCalls { inner, metrics: self.metrics.clone() }
    }
}
