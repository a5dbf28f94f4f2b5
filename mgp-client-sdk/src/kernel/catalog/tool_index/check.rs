//! Dry runs of the kernel's own tools, without an effect.

use super::session::{HostSession, acting_in};
use crate::kernel::{
    boot::core::Core, features::references, ground::dry_run_form::DryRunForm, ground::trace::with_trace,
    host::HostDialect, path::dry_run,
};
use mgp_security::audit::{EventDraft, TOOL_CHECKED};
use mgp_toolindex::meta_tools::{MetaRequest, OwnCall};
use mgp_transport::seam::{Incoming, Reply, TokenGrant};
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::{Principal, TraceId},
    error::ErrorCode,
    rpc::ErrorObject,
    tool_index::{MetaTool, RequestToolsParams},
};
use std::sync::Arc;

/// A dry run of one of the kernel's own tools.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct OwnCheck {
    pub(in crate::kernel) form: DryRunForm,
    pub(in crate::kernel) tool: MetaTool,
    /// The call, or the error of its arguments.
    pub(in crate::kernel) call: Result<OwnCall, ErrorObject>,
}

/// Answers a dry run. Its event is stored before.
pub(in crate::kernel) async fn check_call(core: &Arc<Core>, message: &Incoming, check: OwnCheck) -> Reply {
    let OwnCheck { form, tool, call } = check;
    let principal = match message.caller() {
        Ok(principal) => principal,
        Err(error) => return Reply::error(error),
    };
    let judged = match call {
        Ok(call) => judge(core, message, &principal, call).await,
        Err(error) => Err(error),
    };
    let trace = message.ext.get::<TraceId>();
    let mut event = EventDraft::new(AuditEventType::from(TOOL_CHECKED), &principal).tool(tool.as_str());
    if let Some(trace) = trace {
        event = event.trace(trace);
    }
    if let Err(error) = &judged {
        event = event.result(AuditResult::Blocked).detail("reason", &*error.message);
    }
    // A judgement that cannot be recorded is not returned; the real call would fail, too.
    let judged = match core.trail.sink.record(event.finish()).await {
        Ok(()) => judged,
        Err(error) => {
            tracing::error!(%error, "a dry run could not be recorded: its answer is withheld");
            Err(error.refusal())
        }
    };
    let error = judged.err().map(|error| match trace {
        Some(trace) => with_trace(error.with_report(), trace),
        None => error.with_report(),
    });
    dry_run::own_tool(form, HostDialect::of(message.session()), error)
}

/// Returns the error that the real call would have.
async fn judge(
    core: &Arc<Core>,
    message: &Incoming,
    principal: &Principal,
    call: OwnCall,
) -> Result<(), ErrorObject> {
    let session = HostSession::of(&core.tools, principal, message, call.session)?;
    core.servers.first_lists().await;
    let caller = &acting_in(core, principal, session.tools());
    match call.wanted {
        MetaRequest::Discover(params) => core.tools.discovery.discover(caller, &params).map(drop),
        MetaRequest::Session => Ok(()),
        MetaRequest::Read(request) => {
            references::read_on(&core.references, principal, &request).await.map(drop)
        }
        MetaRequest::Evict(params) => core.tools.sessions.check_evict(caller, &params),
        MetaRequest::Request(params) => {
            core.tools.requests.check(&params)?;
            may_create(core, message, caller, &params)
        }
        MetaRequest::Transaction(request) => {
            core.transactions.foresee(caller, message.ext.get::<TokenGrant>(), request).await
        }
    }
}

/// Checks that a tool would be created from the code of a request. The code itself is judged only when the tool is
/// created.
#[cfg(feature = "child")]
fn may_create(
    core: &Core,
    message: &Incoming,
    caller: &Principal,
    params: &RequestToolsParams,
) -> Result<(), ErrorObject> {
    match params.creation {
        None => Ok(()),
        Some(_) => core
            .creation
            .may_create(message, caller)
            .map_err(|reason| ErrorCode::PermissionDenied.error(reason)),
    }
}

#[cfg(not(feature = "child"))]
fn may_create(_: &Core, _: &Incoming, _: &Principal, params: &RequestToolsParams) -> Result<(), ErrorObject> {
    match params.creation {
        None => Ok(()),
        Some(_) => Err(super::answer::no_creation()),
    }
}
