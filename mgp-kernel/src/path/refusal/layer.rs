//! The layer that answers refusals.

use super::service::Refusals;
use crate::{catalog::tools::Tools, rights::rights::Rights};
use mgp_discovery::config::RefusalForm;
use std::sync::Arc;
use tower_layer::Layer;

/// The layer that turns the refusal or the failure of a tool call into the answer for its caller. It is directly inside the dry runs, outside
/// every gate and outside the audit, which stores the reason of the refusal and not the answer.
#[derive(Debug, Clone)]
pub(crate) struct RefusalsLayer(Arc<RefusalParts>);

/// The data for the answers to refusals.
#[derive(Debug)]
pub(super) struct RefusalParts {
    pub(super) rights: Arc<Rights>,
    pub(super) tools: Arc<Tools>,
    /// The operator's choice of form.
    pub(super) form: RefusalForm,
}

impl RefusalsLayer {
    pub(crate) fn new(rights: Arc<Rights>, tools: Arc<Tools>, form: RefusalForm) -> Self {
        Self(Arc::new(RefusalParts { rights, tools, form }))
    }
}

impl<S> Layer<S> for RefusalsLayer {
    type Service = Refusals<S>;

    fn layer(&self, inner: S) -> Refusals<S> {
        Refusals { inner, parts: self.0.clone() }
    }
}
