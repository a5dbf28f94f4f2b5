//! The layer that answers refusals.

use super::service::Refusals;
use crate::kernel::core::Core;
use mgp_discovery::config::RefusalForm;
use std::sync::Arc;
use tower_layer::Layer;

/// Stands right under `resolve`, outside of every gate and of the audit, which stores why a call was refused and not what its caller
/// is told.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct RefusalLayer {
    core: Arc<Core>,
    form: RefusalForm,
}

impl RefusalLayer {
    pub(in crate::kernel) fn new(core: &Arc<Core>, form: RefusalForm) -> Self {
        Self { core: core.clone(), form }
    }
}

impl<S> Layer<S> for RefusalLayer {
    type Service = Refusals<S>;

    fn layer(&self, inner: S) -> Refusals<S> {
        Refusals { inner, core: self.core.clone(), form: self.form }
    }
}
