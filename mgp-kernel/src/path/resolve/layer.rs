//! The layer that finds the tool of a call.

use super::Resolve;
use crate::{catalog::tools::Tools, ground::trail::Trail, upstream::servers::Servers};
use std::sync::Arc;
use tower_layer::Layer;

/// The layer directly inside the trace that turns a message into a call of a tool. Every other message goes to the service `methods`.
#[derive(Debug, Clone)]
pub(crate) struct ResolveLayer<M> {
    pub(crate) methods: M,
    pub(crate) tools: Arc<Tools>,
    pub(crate) servers: Arc<Servers>,
    pub(crate) trail: Arc<Trail>,
}

impl<M: Clone, S> Layer<S> for ResolveLayer<M> {
    type Service = Resolve<M, S>;

    fn layer(&self, inner: S) -> Resolve<M, S> {
        Resolve {
            inner,
            methods: self.methods.clone(),
            tools: self.tools.clone(),
            servers: self.servers.clone(),
            trail: self.trail.clone(),
        }
    }
}
