//! The layer that finds a call's tool.

use super::service::Resolve;
use crate::kernel::{servers::Servers, tools::Tools, trail::Trail};
use std::sync::Arc;
use tower_layer::Layer;

/// Stands right under the trace: unwraps `mgp_tools_call`, finds the server and the tool, and makes a
/// [`ToolCall`](mgp_transport::seam::ToolCall) of the message. Every other message goes to the service `methods`, past all gates.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct ResolveLayer<M> {
    tools: Arc<Tools>,
    servers: Arc<Servers>,
    trail: Arc<Trail>,
    methods: M,
}

impl<M> ResolveLayer<M> {
    pub(in crate::kernel) fn new(
        tools: Arc<Tools>,
        servers: Arc<Servers>,
        trail: Arc<Trail>,
        methods: M,
    ) -> Self {
        Self { tools, servers, trail, methods }
    }
}

impl<M: Clone, S> Layer<S> for ResolveLayer<M> {
    type Service = Resolve<M, S>;

    fn layer(&self, inner: S) -> Resolve<M, S> {
        let Self { tools, servers, trail, methods } = self.clone();
        Resolve { inner, methods, tools, servers, trail }
    }
}
