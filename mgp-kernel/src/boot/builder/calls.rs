//! The setters for calls: their gates, layers and limits, and the form of their answers.

use super::KernelBuilder;
use crate::ParkedCalls;
use mgp_discovery::config::{ReferencesConfig, RefusalForm};
use mgp_lifecycle::idempotency::IdempotencySettings;
use mgp_security::validator::Validators;
use mgp_transport::seam::{BoxPeerService, GateLayer, Judge, PeerService, Routes, ToolCall};
use std::sync::Arc;
use tower_layer::Layer;

impl KernelBuilder {
    /// Sets the maximum number of concurrent calls over all servers. Each server has its own limit within it.
    #[must_use]
    pub fn max_concurrent(self, calls: usize) -> Self {
        self.set(move |settings| settings.max_concurrent = calls)
    }

    /// Sets the validators, by name.
    #[must_use]
    pub fn validators(self, validators: Validators) -> Self {
        self.set(move |settings| settings.validators = validators)
    }

    /// Sets whether the arguments of every call are checked against their tool's input schema before anybody is asked about the call. By
    /// default, this is `false`: only calls that request the check are checked, and all others by their servers. Arguments that do not match are
    /// refused with 4000.
    #[must_use]
    pub fn check_arguments(self, checks: bool) -> Self {
        self.set(move |settings| settings.checks_arguments = checks)
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
        self.set(move |settings| settings.own_layers.push(layer))
    }

    /// Adds methods of your own that run no server's tool. They cannot replace methods of the kernel. The kernel records each refusal
    /// before it answers.
    #[must_use]
    pub fn routes(self, routes: Routes) -> Self {
        self.set(move |settings| settings.routes = std::mem::take(&mut settings.routes).merge(routes))
    }

    /// Sets the form in which a refused tool call is answered; an error by default.
    #[must_use]
    pub fn refusals(self, form: RefusalForm) -> Self {
        self.set(move |settings| settings.refusals = form)
    }

    /// Sets the limits of kept results, and the hosts from which data of servers' own references is fetched.
    #[must_use]
    pub fn references(self, references: ReferencesConfig) -> Self {
        self.set(move |settings| settings.references.bounds = references)
    }

    /// Sets the maximum number of tokens of a result that is sent to a host; unlimited by default. A longer result is kept, and the host
    /// gets a reference to it.
    #[must_use]
    pub fn max_result_tokens(self, tokens: u64) -> Self {
        self.set(move |settings| settings.references.results.max_tokens = Some(tokens))
    }

    /// Sets the limits on parked calls: calls of hosts with a stateless revision of MCP that wait for answers of their hosts.
    #[must_use]
    pub fn parked_calls(self, bounds: ParkedCalls) -> Self {
        self.set(move |settings| settings.parked = bounds)
    }

    /// Sets whether hosts that do not speak MGP are shown the tool `mgp_transaction`; `false` by default.
    #[must_use]
    pub fn transactions(self, shown: bool) -> Self {
        self.set(move |settings| settings.transactions = shown)
    }

    /// Sets the lifetime of idempotency keys, and the limits of their store.
    #[must_use]
    pub fn idempotency(self, keys: IdempotencySettings) -> Self {
        self.set(move |settings| settings.idempotency = keys)
    }
}
