//! The setters for calls: their gates, layers and methods.

use super::KernelBuilder;
use mgp_security::validator::Validators;
use mgp_transport::seam::{BoxPeerService, GateLayer, Judge, PeerService, Routes, ToolCall};
use std::sync::Arc;
use tower_layer::Layer;

impl KernelBuilder {
    /// Sets the validators, by name. `kernel.validation_timeout_ms` of the configuration is their time limit.
    #[must_use]
    pub fn validators(self, validators: Validators) -> Self {
        self.set(|settings| settings.validators = validators)
    }

    /// Adds a gate of your own to the pipeline: inside access, permission and confirmation, outside the validators. Of several gates
    /// and layers, the one that is added first is outermost. A call that a gate refuses is recorded with the gate's reason.
    ///
    /// ```
    /// use mgp_kernel::Kernel;
    /// use mgp_transport::seam::{Decision, Refusal, RefusalKind, ToolCall};
    /// use mgp_types::error::ErrorCode;
    ///
    /// let no_mail_at_night = |call: &ToolCall| {
    ///     if &*call.target.tool.server_id == "mail" {
    ///         let error = ErrorCode::AccessDenied.error("no mail at night");
    ///         return Refusal::new(RefusalKind::Policy, error).into();
    ///     }
    ///     Decision::Allow
    /// };
    /// let kernel = Kernel::builder().gate(no_mail_at_night);
    /// ```
    #[must_use]
    pub fn gate(self, judge: impl Judge) -> Self {
        self.layer(GateLayer::new(Arc::new(judge)))
    }

    /// Adds a tower layer over tool calls to the pipeline, at the place of [`gate`](Self::gate). The user may have confirmed the
    /// call's arguments, so a layer should not change them.
    ///
    /// ```
    /// use mgp_kernel::Kernel;
    /// use mgp_transport::seam::{BoxPeerService, ToolCall};
    /// use tower::{ServiceExt, layer::layer_fn};
    ///
    /// let log = layer_fn(|inner: BoxPeerService<ToolCall>| {
    ///     inner.map_request(|call: ToolCall| {
    ///         println!("{} is called", call.target.tool);
    ///         call
    ///     })
    /// });
    /// let kernel = Kernel::builder().layer(log);
    /// ```
    #[must_use]
    pub fn layer<L>(self, layer: L) -> Self
    where
        L: Layer<BoxPeerService<ToolCall>, Service: PeerService<ToolCall>> + Send + Sync + 'static,
    {
        self.set(|settings| settings.own_layers.push(layer))
    }

    /// Adds methods of your own that run no server's tool. A method of the kernel's own is an error at the start
    /// ([`KernelError::Method`](crate::KernelError::Method)). The kernel records each refusal before it answers.
    #[must_use]
    pub fn routes(self, routes: Routes) -> Self {
        self.set(|settings| settings.routes = std::mem::take(&mut settings.routes).merge(routes))
    }
}
