//! The pipeline: every path to a tool goes through it, in this order.

use super::{
    argument_check::ArgumentCheck,
    attest::Attestations,
    dispatch::Dispatch,
    dry_run::DryRuns,
    fallback::Fallback,
    own_layers::OwnLayers,
    refusal::Refusals,
    resolve::{Existence, Resolve},
    result_check::{CheckedResults, ResultCheck},
};
use crate::kernel::{
    boot::{core::Core, methods},
    catalog::{tool_index, tools::ToolEntry},
    features::{
        references::ReferenceLayer,
        transactions::{self, CompensationPass},
    },
    ground::trace::TraceLayer,
    host::{self, HostDialect},
    rights::grant_limits::GrantLimits,
};
use futures_core::future::BoxFuture;
use mgp_discovery::config::RefusalForm;
use mgp_lifecycle::{idempotency::IdempotencyLayer, transaction::TransactionLayer};
use mgp_security::{
    access::KeyScope,
    audit::{AuditLayer, DispatchEvents},
    identity::IdentityLayer,
    input_size::InputSize,
    limits::{
        CallerLimits, TargetLimits,
        quota::{QuotaCheck, QuotaSpendingLayer},
    },
    permission::{Approver, ConfirmationGate, Deny},
    scope::Scope,
    unique_keys::UniqueKeys,
    validator::{KnownValidators, Validators},
};
use mgp_toolindex::meta_tools::OwnCall;
use mgp_transport::seam::{BoxError, GateLayer, Incoming, PeerService, Reply, Routes, ToolCall};
use mgp_types::{context::RiskLevel, mcp::CallTool, rpc::Call};
use std::{sync::Arc, time::Duration};
use tower::{Layer, ServiceBuilder, service_fn};

/// The settings of the gates that are not part of the core.
pub(in crate::kernel) struct Gates {
    /// The approver that is asked before a call; `None` refuses calls that need a decision.
    pub(in crate::kernel) approver: Option<Arc<dyn Approver>>,
    /// The maximum time that a call waits for answers.
    pub(in crate::kernel) approval_wait: Duration,
    pub(in crate::kernel) validators: Validators,
    /// The gates and layers that the program adds.
    pub(in crate::kernel) own: OwnLayers,
    /// The minimum risk of the calls before which an event is stored; `None` for no such events.
    pub(in crate::kernel) recorded_before: Option<RiskLevel>,
    /// The layer of calls with an idempotency key.
    pub(in crate::kernel) idempotency: IdempotencyLayer,
    /// The form in which a refused call is answered.
    pub(in crate::kernel) refusals: RefusalForm,
    /// True if the arguments of every call are checked against their tool's input schema.
    pub(in crate::kernel) checks_arguments: bool,
    /// True if there are limits, or if another configuration may add some.
    pub(in crate::kernel) has_limits: bool,
}

/// Builds the pipeline. Build it once and clone it for each session.
pub(in crate::kernel) fn pipeline(
    core: &Arc<Core>,
    routes: Routes<Arc<Core>>,
    gates: Gates,
) -> impl PeerService {
    // If nobody can be asked, a call with a question is refused at once, and the question stays open.
    let approver = gates.approver.unwrap_or_else(|| Arc::new(Deny));
    let confirmation = ConfirmationGate::new(approver, core.rights.confirmations.clone())
        .permissions(core.rights.permissions.clone())
        .doubts({
            let validators = gates.validators.clone();
            move |call| validators.doubt(call)
        })
        .estimates(|call| {
            let entry = call.route.clone().and_then(|route| route.downcast::<ToolEntry>().ok());
            entry.map(|entry| entry.estimate()).unwrap_or_default()
        })
        .session_name(host::session_name)
        .wait(gates.approval_wait);
    let Core { trail, rights, servers, tools, .. } = &**core;
    let idempotency = {
        let rights = rights.clone();
        gates.idempotency.judge_again(move |call| rights.judge_call(call)).fit(|call, result| {
            let host = HostDialect::of(call.session());
            let (result, _) = host.valid(CallTool::METHOD, host.tool_result(result, false)?)?;
            Ok(result)
        })
    };
    let declared = {
        let rights = rights.clone();
        move |call: &ToolCall| transactions::declared(&rights, call)
    };
    let identity = IdentityLayer::new(trail.sink.clone());
    let (limits, quotas) = gates.has_limits.then(|| (core.limits.clone(), core.quotas.clone())).unzip();
    let existence = Existence { rights: rights.clone(), servers: servers.clone() };
    let calls = ServiceBuilder::new()
        .layer(AuditLayer::new(trail.sink.clone()))
        .layer(identity.clone())
        .layer(
            GateLayer::new(limits.clone().map(|limits| CompensationPass(CallerLimits(limits))))
                .and(existence),
        )
        // Inside existence, so that its answers do not reveal concealed tools.
        .layer(ReferenceLayer(core.references.clone()))
        .layer(
            GateLayer::new(Scope)
                .and(rights.access.clone())
                .and(KeyScope(rights.access.clone()))
                .and(limits.map(|limits| CompensationPass(TargetLimits(limits))))
                .and(rights.definitions.clone())
                .and(UniqueKeys)
                .and(InputSize)
                .and(ArgumentCheck { of_every_call: gates.checks_arguments })
                .and(ResultCheck)
                .and(KnownValidators(gates.validators.clone()))
                .and(quotas.clone().map(|quotas| CompensationPass(QuotaCheck(quotas))))
                .and(rights.permissions.clone())
                .and(GrantLimits(rights.clone()))
                .and(confirmation.clone()),
        )
        .option_layer(gates.own.some())
        .layer(GateLayer::new(gates.validators))
        // Outside the quotas and the event before a call, because a call that gets a kept answer is not sent.
        .layer(idempotency)
        .layer(TransactionLayer::new(core.transactions.transactions.clone(), declared))
        .layer(QuotaSpendingLayer::new(quotas).spare(transactions::is_compensation))
        .layer(GateLayer::new(DispatchEvents::new(trail.sink.clone(), gates.recorded_before)))
        .service(Dispatch { core: core.clone(), confirmation });
    #[cfg(feature = "metrics")]
    let calls = super::metrics::CountCallsLayer::new(core.metrics.clone()).layer(calls);
    let tools = tools.clone();
    let calls = Fallback::new(Attestations { inner: calls }, tools.clone());
    // Outside every layer that takes an error as a sign that the tool did not do its work.
    let calls = CheckedResults(calls);
    let calls = Refusals { inner: calls, core: core.clone(), form: gates.refusals };
    let calls = DryRuns(calls);
    let (trail, servers, core) = (trail.clone(), servers.clone(), core.clone());
    let methods = service_fn(move |message| -> BoxFuture<'static, _> {
        Box::pin(answer(core.clone(), routes.clone(), message))
    });
    let methods = identity.layer(methods);
    let resolve = Resolve { inner: calls, methods, tools, servers, trail: trail.clone() };
    TraceLayer { trail }.layer(resolve)
}

/// Answers a message other than a tool call.
async fn answer(
    core: Arc<Core>,
    routes: Routes<Arc<Core>>,
    mut message: Incoming,
) -> Result<Reply, BoxError> {
    if let Some(check) = message.ext.remove::<tool_index::OwnCheck>() {
        return Ok(tool_index::check_call(&core, &message, check).await);
    }
    match message.ext.remove::<OwnCall>() {
        Some(call) => Ok(tool_index::answer_call(&core, &message, call).await),
        None => methods::answer(core, routes, message).await,
    }
}
