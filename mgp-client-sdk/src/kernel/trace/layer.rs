//! The layer that gives every request its trace.

use super::service::Trace;
use tower_layer::Layer;

/// Puts a [`TraceId`](mgp_types::context::TraceId) into the context of every request: the caller's, or a new one.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::kernel) struct TraceLayer;

impl<S> Layer<S> for TraceLayer {
    type Service = Trace<S>;

    fn layer(&self, inner: S) -> Trace<S> {
        Trace { inner }
    }
}
