//! The layer that refuses unreadable requests.

use super::service::Readable;
use crate::kernel::trail::Trail;
use std::sync::Arc;
use tower_layer::Layer;

/// Refuses requests whose params are not an object, or hold a key twice, and records each refusal. The layer stands outside every
/// other layer.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct ReadableLayer {
    trail: Arc<Trail>,
}

impl ReadableLayer {
    pub(in crate::kernel) fn new(trail: Arc<Trail>) -> Self {
        Self { trail }
    }
}

impl<S> Layer<S> for ReadableLayer {
    type Service = Readable<S>;

    fn layer(&self, inner: S) -> Readable<S> {
        Readable { inner, trail: self.trail.clone() }
    }
}
