//! The layer that refuses what cannot be read.

use super::service::Readable;
use crate::kernel::core::Core;
use std::sync::Weak;
use tower_layer::Layer;

/// Stands outside every other layer: refuses requests whose params are no object, or hold a key twice, with an event for each.
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
