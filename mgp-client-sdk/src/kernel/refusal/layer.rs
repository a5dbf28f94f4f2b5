//! The layer that answers refusals.

use super::service::Refusals;
use crate::kernel::{rights::Rights, tools::Tools};
use mgp_discovery::config::RefusalForm;
use std::sync::Arc;
use tower_layer::Layer;

/// Turns the refusal of a tool call into the answer for its caller. The layer stands right under `resolve`, outside every gate and
/// outside the audit, which stores the reason of the refusal and not the answer.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct RefusalLayer {
    rights: Arc<Rights>,
    tools: Arc<Tools>,
    form: RefusalForm,
}

impl RefusalLayer {
    pub(in crate::kernel) fn new(rights: Arc<Rights>, tools: Arc<Tools>, form: RefusalForm) -> Self {
        Self { rights, tools, form }
    }
}

impl<S> Layer<S> for RefusalLayer {
    type Service = Refusals<S>;

    fn layer(&self, inner: S) -> Refusals<S> {
        Refusals { inner, rights: self.rights.clone(), tools: self.tools.clone(), form: self.form }
    }
}
