//! The pipeline: every way to reach a tool goes through it, in this order.

use super::{
    core::Core,
    dispatch::Dispatch,
    own_gates::OwnGates,
    readable::ReadableLayer,
    refusal::RefusalLayer,
    resolve::{RefuseUnknownLayer, ResolveLayer},
    trace::TraceLayer,
};
use mgp_discovery::config::RefusalForm;
use mgp_security::{
    access::AccessLayer,
    audit::AuditLayer,
    identity::IdentityLayer,
    permission::{Approver, ConfirmationLayer, Deny, PermissionLayer},
    scope::ScopeLayer,
    unique_keys::UniqueKeysLayer,
    validator::{ValidatorLayer, Validators},
};
use mgp_transport::seam::PeerService;
use std::{sync::Arc, time::Duration};
use tower::ServiceBuilder;

/// The settings of the gates that are not part of the core.
pub(super) struct Gates {
    /// The approver that is asked before a call; `None` refuses calls that need a decision.
    pub(super) approver: Option<Arc<dyn Approver>>,
    /// The time that a call waits for answers.
    pub(super) approval_wait: Duration,
    pub(super) validators: Validators,
    /// The layers that the program adds.
    pub(super) own: OwnGates,
    /// The form in which a refused call is answered.
    pub(super) refusals: RefusalForm,
}

/// Builds the pipeline. Build it once and clone it for each session.
pub(super) fn pipeline(core: &Arc<Core>, gates: Gates) -> impl PeerService {
    // Where nobody can be asked, what would be asked is refused at once, and its question stays open.
    let approver = gates.approver.unwrap_or_else(|| Arc::new(Deny));
    let confirmation = ConfirmationLayer::new(approver, core.confirmations.clone())
        .permissions(core.permissions.clone())
        .wait(gates.approval_wait);
    ServiceBuilder::new()
        .layer(ReadableLayer::new(Arc::downgrade(core)))
        .layer(TraceLayer)
        .layer(ResolveLayer::new(Arc::downgrade(core)))
        .layer(RefusalLayer::new(core, gates.refusals))
        .layer(AuditLayer::new(core.sink.clone()))
        .layer(IdentityLayer::new(core.sink.clone()))
        .layer(RefuseUnknownLayer::new(Arc::downgrade(core)))
        .layer(ScopeLayer::new())
        .layer(AccessLayer::new(core.access.clone()))
        .layer(UniqueKeysLayer::new())
        .layer(PermissionLayer::new(core.permissions.clone()))
        .layer(confirmation)
        .option_layer(gates.own.some())
        .layer(ValidatorLayer::new(gates.validators))
        .service(Dispatch::new(core))
}
