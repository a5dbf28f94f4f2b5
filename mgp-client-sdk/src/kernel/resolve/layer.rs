//! The layer that finds a call's tool.

use super::service::Resolve;
use crate::kernel::core::Core;
use std::sync::Weak;
use tower_layer::Layer;

/// Stands right under the trace: unwraps `mgp_tools_call`, finds the server and the tool, and makes a
/// [`ToolCall`](mgp_transport::seam::ToolCall) of the message. Every other message goes to the service `methods`, past all gates.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct ResolveLayer<M> {
    core: Weak<Core>,
    methods: M,
}

impl<M> ResolveLayer<M> {
    pub(in crate::kernel) fn new(core: Weak<Core>, methods: M) -> Self {
        Self { core, methods }
    }
}

impl<M: Clone, S> Layer<S> for ResolveLayer<M> {
    type Service = Resolve<M, S>;

    fn layer(&self, inner: S) -> Resolve<M, S> {
        Resolve { inner, methods: self.methods.clone(), core: self.core.clone() }
    }
}
