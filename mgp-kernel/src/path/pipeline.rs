//! The pipeline: every path to a tool goes through it, in this order.

use super::{
    argument_check::ArgumentCheck,
    attest::AttestationsLayer,
    cache::CacheLayer,
    dispatch::Dispatch,
    dry_run::DryRunsLayer,
    fallback::FallbackLayer,
    metrics::{CallCounters, CountCallsLayer},
    own_layers::OwnLayers,
    refusal::RefusalsLayer,
    resolve::{Existence, ResolveLayer},
    result_check::{CheckedResultsLayer, ResultCheck},
    shape::ShapeLayer,
};
use crate::{
    catalog::tools::{ToolEntry, Tools},
    features::{
        instances::Instances,
        references::{ReferenceLayer, References},
        session_states::SessionStates,
        transactions::{self, CompensationPass},
    },
    ground::{trace::TraceLayer, trail::Trail},
    host::{self, HostDialect},
    rights::{grant_limits::GrantLimits, rights::Rights},
    upstream::servers::Servers,
};
use mgp_discovery::config::RefusalForm;
use mgp_lifecycle::{
    idempotency::IdempotencyLayer,
    transaction::{TransactionLayer, Transactions},
};
use mgp_security::{
    access::KeyScope,
    audit::{AuditLayer, DispatchEvents},
    identity::IdentityLayer,
    input_size::InputSize,
    limits::{
        CallerLimits, Limits, TargetLimits,
        quota::{QuotaCheck, QuotaSpendingLayer, Quotas},
    },
    permission::{Approver, ConfirmationGate, Deny},
    scope::Scope,
    unique_keys::UniqueKeys,
    validator::{KnownValidators, Validators},
};
use mgp_transport::seam::{BoxError, GateLayer, Incoming, PeerService, Reply, ToolCall};
use mgp_types::{context::RiskLevel, mcp::CallTool, rpc::Call};
use std::{sync::Arc, time::Duration};
use tower::{Layer, ServiceBuilder};
use tower_service::Service;

/// The parts of the kernel that the layers of the pipeline use.
pub(crate) struct PipelineParts {
    pub(crate) trail: Arc<Trail>,
    pub(crate) rights: Arc<Rights>,
    pub(crate) limits: Limits,
    pub(crate) quotas: Quotas,
    pub(crate) servers: Arc<Servers>,
    pub(crate) tools: Arc<Tools>,
    /// The kept results of principals.
    pub(crate) references: Arc<References>,
    pub(crate) instances: Instances,
    /// The session states that servers assigned to hosts.
    pub(crate) session_states: SessionStates,
    pub(crate) transactions: Transactions,
    /// The counters of calls.
    pub(crate) counters: CallCounters,
}

/// The settings of the gates.
pub(crate) struct Gates {
    /// The approver that is asked before a call; `None` refuses calls that need a decision.
    pub(crate) approver: Option<Arc<dyn Approver>>,
    /// The maximum time that a call waits for answers.
    pub(crate) approval_wait: Duration,
    pub(crate) validators: Validators,
    /// The gates and layers that the program adds.
    pub(crate) own: OwnLayers,
    /// The minimum risk of the calls before which an event is stored; `None` for no such events.
    pub(crate) recorded_before: Option<RiskLevel>,
    /// The layer of calls with an idempotency key.
    pub(crate) idempotency: IdempotencyLayer,
    /// The form in which a refused call is answered.
    pub(crate) refusals: RefusalForm,
    /// True if the arguments of every call are checked against their tool's input schema.
    pub(crate) checks_arguments: bool,
}

/// Builds the pipeline around the service that answers messages other than calls of servers' tools. Build it once and clone it for each session.
pub(crate) fn pipeline(
    parts: PipelineParts,
    gates: Gates,
    methods: impl Service<Incoming, Response = Reply, Error = BoxError, Future: Send + 'static>
    + Clone
    + Send
    + Sync
    + 'static,
) -> impl PeerService {
    let PipelineParts { trail, rights, servers, tools, .. } = parts;
    // If nobody can be asked, a call with a question is refused at once, and the question stays open.
    let approver = gates.approver.unwrap_or_else(|| Arc::new(Deny));
    let confirmation = ConfirmationGate::new(approver, rights.confirmations.clone())
        .permissions(rights.permissions.clone())
        .doubts({
            let validators = gates.validators.clone();
            move |call| validators.doubt(call)
        })
        .estimates(|call| ToolEntry::of(call).map(ToolEntry::estimate).unwrap_or_default())
        .session_name(host::session_name)
        .wait(gates.approval_wait);
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
    let methods = identity.layer(methods);
    let (limits, quotas) = (parts.limits, parts.quotas);
    let caller_limits = CompensationPass(CallerLimits(limits.clone()));
    let target_limits = CompensationPass(TargetLimits(limits));
    let quota_check = CompensationPass(QuotaCheck(quotas.clone()));
    // The picture in docs/layers.md is drawn from the last line of the comment before each layer and gate. In brackets: the type of the message
    // from there on. In parentheses: what only some kernels or calls have.
    ServiceBuilder::new()
        // [Incoming] trace: readable, and with an id for all
        .layer(TraceLayer { trail: trail.clone() })
        // resolve: which server, which tool? -> any other method
        .layer(ResolveLayer { methods, tools: tools.clone(), servers: servers.clone(), trail: trail.clone() })
        // [ToolCall<()>] (dry runs): the verdict as the answer
        .layer(DryRunsLayer)
        // refusals: the form of a refusal, and advice
        .layer(RefusalsLayer::new(rights.clone(), tools.clone(), gates.refusals))
        // Outside every layer that takes an error as a sign that the tool did not do its work.
        // (results): does the result fit the schema?
        .layer(CheckedResultsLayer)
        // fallback: another tool, where a call failed?
        .layer(FallbackLayer(tools.clone()))
        // (attestations): states the origin of the result
        .layer(AttestationsLayer)
        // metrics: counts it
        .layer(CountCallsLayer::new(parts.counters))
        // audit: stores the event, then lets go -|
        .layer(AuditLayer::new(trail.sink.clone()))
        // identity: who calls, and on whose behalf?
        .layer(identity)
        .layer(
            // [ToolCall] (limits): do agent and key call too often? | may wait
            GateLayer::new(caller_limits)
                // existence: is there such a tool?
                .and(Existence { rights: rights.clone(), servers }),
        )
        // Inside existence, so that its answers do not reveal concealed tools.
        // references: kept data goes in, and is kept
        .layer(ReferenceLayer(parts.references))
        // Outside the gates on arguments, which judge what the server gets.
        // (shaping): adds arguments, selects results
        .layer(ShapeLayer)
        .layer(
            // scope: does the caller's token allow it?
            GateLayer::new(Scope)
                // access: do the rules allow it?
                .and(rights.access.clone())
                // key scope: does the caller's API key allow it?
                .and(KeyScope(rights.access.clone()))
                // (limits): are tool and server called too often? | may wait
                .and(target_limits)
                // definition: is it the tool that was accepted?
                .and(rights.definitions.clone())
                // unique keys: can it be read in one way only?
                .and(UniqueKeys)
                // input size: are the arguments small enough?
                .and(InputSize)
                // (arguments): are they an object, of the schema?
                .and(ArgumentCheck { of_every_call: gates.checks_arguments })
                // (results): can the result be checked?
                .and(ResultCheck)
                // known names: is there each of its validators?
                .and(KnownValidators(gates.validators.clone()))
                // (quotas): is enough left of the day's units? | may wait
                .and(quota_check)
                // permission: is what the tool needs approved? | may wait
                .and(rights.permissions.clone())
                // grant limits: do the approvals cover the paths?
                .and(GrantLimits(rights.clone()))
                // confirmation: does somebody have to say yes? | may wait
                .and(confirmation.clone()),
        )
        // yours: | may wait
        .option_layer(gates.own.some())
        // validators: are the arguments harmless?
        .layer(GateLayer::new(gates.validators))
        // Outside the quotas and the event before a call, because a call that gets a kept answer is not sent.
        // idempotency: was it made under this key before? | may wait
        .layer(idempotency)
        // transactions: stores the step | may wait
        .layer(TransactionLayer::new(parts.transactions, declared))
        // (quotas): spends the units | may wait
        .layer(QuotaSpendingLayer::new(quotas).spare(transactions::is_compensation))
        // (audit): stores an event before the call | may wait
        .layer(GateLayer::new(DispatchEvents::new(trail.sink.clone(), gates.recorded_before)))
        // (cache): was it answered a moment ago?
        .layer(CacheLayer(rights))
        // dispatch: breaker, retries, turn, server
        .service(Dispatch {
            tools,
            instances: parts.instances,
            session_states: parts.session_states,
            confirmation,
        })
    // The end of the picture.
}
