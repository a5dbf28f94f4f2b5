//! The layer that refuses unreadable requests.

use super::service::Readable;
use crate::kernel::core::Core;
use std::sync::Weak;
use tower_layer::Layer;

/// Refuses requests whose params are not an object, or hold a key twice, and records each refusal. The layer stands outside every
/// other layer.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct ReadableLayer {
    core: Weak<Core>,
}

impl ReadableLayer {
    pub(in crate::kernel) fn new(core: Weak<Core>) -> Self {
        Self { core }
    }
}

impl<S> Layer<S> for ReadableLayer {
    type Service = Readable<S>;

    fn layer(&self, inner: S) -> Readable<S> {
        Readable { inner, core: self.core.clone() }
    }
}
