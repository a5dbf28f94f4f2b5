//! The layer that finds a call's tool.

use super::service::Resolve;
use crate::kernel::core::Core;
use std::sync::Weak;
use tower_layer::Layer;

/// Stands right under the trace: unwraps `mgp_tools_call`, finds the server and the tool, and puts
/// [`Target`](mgp_types::context::Target), [`CallRecord`](mgp_transport::seam::CallRecord) and
/// [`ToolProfile`](mgp_security::profile::ToolProfile) into the call's context.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct ResolveLayer {
    core: Weak<Core>,
}

impl ResolveLayer {
    pub(in crate::kernel) fn new(core: Weak<Core>) -> Self {
        Self { core }
    }
}

impl<S> Layer<S> for ResolveLayer {
    type Service = Resolve<S>;

    fn layer(&self, inner: S) -> Resolve<S> {
        Resolve { inner, core: self.core.clone() }
    }
}
