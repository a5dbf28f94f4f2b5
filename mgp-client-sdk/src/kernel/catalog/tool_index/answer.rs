//! Answers the methods of §16, and the tools that represent them.

use super::{
    notes,
    session::{HostSession, acting_in, with_security},
    used::{changed, tell_owner},
};
#[cfg(feature = "child")]
use crate::kernel::features::creation;
use crate::kernel::{
    boot::core::Core,
    features::{references, transactions},
    ground::trail::Trail,
};
use mgp_security::audit::EventDraft;
use mgp_toolindex::{
    exposure::Exposure,
    meta_tools::{self, MetaRequest, OwnCall},
    request::RequestOutcome,
};
use mgp_transport::seam::{Incoming, Reply, Role, Routes};
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::{Principal, TraceId},
    json::{RawJson, RawObject},
    rpc::{ErrorObject, RawResult},
    tool_index::{
        DiscoverTools, EvictTools, RequestStatus, RequestTools, RequestToolsParams, RequestToolsResult,
        SessionTools, ToolIndexNotes,
    },
};
use std::sync::Arc;

/// The type of the event of a request for tools.
const TOOLS_REQUESTED: &str = "dev.cloto.mgp.TOOLS_REQUESTED";

/// Returns the methods of §16.
pub(in crate::kernel) fn routes() -> Routes<Arc<Core>> {
    Routes::new()
        .route(DiscoverTools, Role::Anyone, async |core, message| {
            let wanted = MetaRequest::Discover(message.params.decode()?);
            Ok(answer(core, message, wanted).await)
        })
        .route(RequestTools, Role::Anyone, async |core, message| {
            let wanted: RequestToolsParams = message.params.decode()?;
            let wanted = MetaRequest::Request(wanted.or_intent(message.params.object()?)?);
            Ok(answer(core, message, wanted).await)
        })
        .route(EvictTools, Role::Anyone, async |core, message| {
            let wanted = MetaRequest::Evict(message.params.decode()?);
            Ok(answer(core, message, wanted).await)
        })
        .route(SessionTools, Role::Anyone, async |core, message| {
            Ok(answer(core, message, MetaRequest::Session).await)
        })
}

async fn answer(core: Arc<Core>, message: Incoming, wanted: MetaRequest) -> Reply {
    run(&core, &message, OwnCall { wanted, session: None }).await.map_or_else(Reply::error, Reply::ok)
}

/// Answers a call of a meta-tool. An error becomes part of the result, because models read results.
pub(in crate::kernel) async fn answer_call(core: &Arc<Core>, message: &Incoming, call: OwnCall) -> Reply {
    let outcome = run(core, message, call).await;
    #[cfg(feature = "child")]
    if let Err(error) = &outcome
        && let Some(rejection) = creation::rejection_text(error)
    {
        let error = mgp_types::tool_result::ErrorDetail::from(error);
        return Reply::from_value(&mgp_types::mcp::CallToolResult::text(rejection).with_error(error));
    }
    Reply::from_value(&meta_tools::answer(outcome))
}

async fn run(core: &Arc<Core>, message: &Incoming, call: OwnCall) -> Result<RawResult, ErrorObject> {
    let principal = message.caller()?;
    let session = HostSession::of(&core.tools, &principal, message, call.session)?;
    core.servers.first_lists().await;
    core.tools.can_count().await;
    let result = in_session(core, message, &principal, &session, call.wanted).await?;
    match session.keep(&core.tools, &principal) {
        Some(handle) => with_handle(&result, &handle),
        None => Ok(result),
    }
}

async fn in_session(
    core: &Arc<Core>,
    message: &Incoming,
    principal: &Principal,
    session: &HostSession,
    wanted: MetaRequest,
) -> Result<RawResult, ErrorObject> {
    let (tools, with_security) = (session.tools(), with_security(message));
    let principal = &acting_in(core, principal, tools);
    let result = match wanted {
        MetaRequest::Discover(params) => {
            let mut found = {
                #[cfg(feature = "metrics")]
                let _timer = core.metrics.as_ref().map(|metrics| metrics.time_search());
                core.tools.discovery.discover(principal, &params)?
            };
            notes::of_search(core, message, (principal, tools), &params, &mut found).await;
            RawJson::from_value(&found)
        }
        MetaRequest::Transaction(request) => {
            return core.transactions.answer(principal, transactions::asker(message), request).await;
        }
        // Kept for the caller itself, as with `resources/read`.
        MetaRequest::Read(request) => {
            let part = references::read_on(&core.references, &message.caller()?, &request).await?;
            RawJson::from_value(&part)
        }
        MetaRequest::Session => {
            let settled = core.tools.sessions.settle(principal, tools, with_security);
            if settled.changed {
                changed(&core.tools, principal, message, tools);
            }
            RawJson::from_value(&core.tools.sessions.describe(&settled))
        }
        MetaRequest::Evict(params) => {
            let evicted = core.tools.sessions.evict(principal, tools, &params, with_security)?;
            if evicted.changed {
                changed(&core.tools, principal, message, tools);
            }
            RawJson::from_value(&evicted.result)
        }
        MetaRequest::Request(params) => {
            let mut answered = core.tools.requests.request(principal, tools, &params, with_security).await?;
            #[cfg(feature = "child")]
            let created = core.creation.create(message, principal, tools, &params, &mut answered).await;
            #[cfg(not(feature = "child"))]
            let created = create(&params);
            record(&core.trail, message, principal, &params, (&answered.result, created.as_ref().err()))
                .await?;
            let created = created?;
            if created && core.tools.exposure != Exposure::Discovery {
                tell_owner(message, tools);
            } else if answered.changed {
                changed(&core.tools, principal, message, tools);
            }
            notes::of_request(core, message, (principal, tools), &mut answered.result).await;
            recommend(core, &mut answered).await;
            RawJson::from_value(&answered.result)
        }
    };
    Ok(result?)
}

/// Adds the servers that registries recommend for missing capabilities, if the operator allows any registry.
async fn recommend(core: &Core, answered: &mut RequestOutcome) {
    let Some(recommender) = &core.recommender else { return };
    // Not if the caller creates the tool itself, or just did.
    let may_miss = matches!(
        answered.result.status,
        RequestStatus::Unavailable | RequestStatus::Partial | RequestStatus::PendingApproval
    );
    if may_miss {
        answered.result.recommendations = recommender.recommend(&answered.missing).await;
    }
}

#[cfg(not(feature = "child"))]
fn create(params: &RequestToolsParams) -> Result<bool, ErrorObject> {
    match params.creation {
        None => Ok(false),
        Some(_) => Err(no_creation()),
    }
}

/// Returns the error for code in a build without tool creation.
#[cfg(not(feature = "child"))]
pub(super) fn no_creation() -> ErrorObject {
    ErrorObject::invalid_params(
        "invalid creation: expected none, because this kernel starts no processes and creates no tools from code",
    )
}

/// Records a request for tools, with the loaded tools or the refusal, before the request is answered.
async fn record(
    trail: &Trail,
    message: &Incoming,
    principal: &Principal,
    params: &RequestToolsParams,
    (result, refusal): (&RequestToolsResult, Option<&ErrorObject>),
) -> Result<(), ErrorObject> {
    let loaded: Vec<&str> = result.tools_loaded.iter().map(|tool| tool.name.as_str()).collect();
    let mut event = EventDraft::new(AuditEventType::from(TOOLS_REQUESTED), principal)
        .result(if refusal.is_some() { AuditResult::Blocked } else { AuditResult::Success })
        .detail("status", &result.status)
        .detail("capabilities", &params.requirements.capabilities)
        .detail("tools_loaded", &loaded);
    if let Some(refusal) = refusal {
        event = event.detail("code", &refusal.code);
    }
    // The trace of the task in the request, if there is one.
    let task = params.task_trace_id.as_deref().and_then(TraceId::new);
    if let Some(trace) = task.as_ref().or_else(|| message.ext.get()) {
        event = event.trace(trace);
    }
    trail.sink.record(event.finish()).await.map_err(|error| {
        tracing::error!(%error, "a request could not be recorded: its answer is withheld");
        ErrorObject::internal("internal error: the audit trail cannot be written")
    })
}

/// Returns the answer with the handle of its session.
fn with_handle(result: &RawResult, handle: &str) -> Result<RawResult, ErrorObject> {
    let mut result = RawObject::from_json(result)?;
    let mut notes: ToolIndexNotes = result.decode("_mgp")?.unwrap_or_default();
    notes.session = Some(handle.to_owned());
    result.insert("_mgp", RawJson::from_value(&notes)?);
    Ok(result.to_json())
}
