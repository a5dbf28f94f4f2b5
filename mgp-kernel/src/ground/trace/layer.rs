//! The layer that gives every request its trace.

use super::service::Trace;
use crate::ground::trail::Trail;
use std::sync::Arc;
use tower_layer::Layer;

/// The layer that adds a [`TraceId`](mgp_types::context::TraceId) to the context of every request: the caller's, or a new one. Refuses requests
/// whose params are not an object, or contain a duplicate key, and records each refusal. This is the outermost layer.
#[derive(Debug, Clone)]
pub(crate) struct TraceLayer {
    pub(crate) trail: Arc<Trail>,
}

impl<S> Layer<S> for TraceLayer {
    type Service = Trace<S>;

    fn layer(&self, inner: S) -> Trace<S> {
        Trace { inner, trail: self.trail.clone() }
    }
}
