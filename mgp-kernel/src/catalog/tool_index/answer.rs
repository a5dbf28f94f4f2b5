//! Answers the methods of §16, and the tools that represent them.

use super::{
    OwnTool, SearchTimes, ToolCreation, notes,
    session::{HostSession, with_security},
    used::{changed, tell_owner},
};
use crate::{catalog::instructions::Greeter, ground::trail::Trail};
use mgp_discovery::public_registry::Recommender;
use mgp_security::{audit::EventDraft, limits::quota::Quotas};
use mgp_toolindex::{
    exposure::Exposure,
    meta_tools::{self, MetaRequest, OwnCall, ReadRequest, TransactionRequest},
    request::RequestOutcome,
    session::ToolSession,
};
use mgp_transport::seam::{Incoming, Reply, Role, Routes};
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::{Principal, TraceId},
    json::{RawJson, RawObject},
    mcp::CallToolResult,
    rpc::{ErrorObject, RawResult},
    tool_index::{
        DiscoverTools, EvictTools, RequestStatus, RequestTools, RequestToolsParams, RequestToolsResult,
        SessionTools, ToolIndexNotes,
    },
    tool_result::ErrorDetail,
};
use std::{sync::Arc, time::Instant};

/// The type of the event of a request for tools.
const TOOLS_REQUESTED: &str = "dev.cloto.mgp.TOOLS_REQUESTED";

/// The kernel's own tools, which hosts call like tools of servers, and the methods of §16. Clones share their parts.
#[derive(Debug, Clone)]
pub(crate) struct MetaTools {
    /// The servers and their tools, and the texts about them.
    pub(crate) greeter: Arc<Greeter>,
    pub(crate) trail: Arc<Trail>,
    pub(crate) quotas: Quotas,
    /// The registries that recommend servers for requests that find no tool.
    pub(crate) recommender: Option<Recommender>,
    pub(crate) transactions: Arc<dyn OwnTool<TransactionRequest>>,
    pub(crate) reading: Arc<dyn OwnTool<ReadRequest>>,
    /// The creation of tools from code; `None` in a build without it.
    pub(crate) creation: Option<Arc<dyn ToolCreation>>,
    pub(crate) search_times: Option<Arc<dyn SearchTimes>>,
}

/// Returns the methods of §16.
pub(crate) fn routes() -> Routes<MetaTools> {
    Routes::new()
        .route(DiscoverTools, Role::Anyone, async |meta, message| {
            let wanted = MetaRequest::Discover(message.params.decode()?);
            Ok(answer(meta, message, wanted).await)
        })
        .route(RequestTools, Role::Anyone, async |meta, message| {
            let wanted: RequestToolsParams = message.params.decode()?;
            let wanted = MetaRequest::Request(wanted.or_intent(message.params.object()?)?);
            Ok(answer(meta, message, wanted).await)
        })
        .route(EvictTools, Role::Anyone, async |meta, message| {
            let wanted = MetaRequest::Evict(message.params.decode()?);
            Ok(answer(meta, message, wanted).await)
        })
        .route(SessionTools, Role::Anyone, async |meta, message| {
            Ok(answer(meta, message, MetaRequest::Session).await)
        })
}

async fn answer(meta: MetaTools, message: Incoming, wanted: MetaRequest) -> Reply {
    run(&meta, &message, OwnCall { wanted, session: None }).await.map_or_else(Reply::error, Reply::ok)
}

impl MetaTools {
    /// Answers a call of one of the tools. An error becomes part of the result, because models read results.
    pub(crate) async fn answer_call(&self, message: &Incoming, call: OwnCall) -> Reply {
        let outcome = run(self, message, call).await;
        if let Err(error) = &outcome
            && let Some(creation) = &self.creation
            && let Some(rejection) = creation.rejection_text(error)
        {
            let error = ErrorDetail::from(error);
            return Reply::from_value(&CallToolResult::text(rejection).with_error(error));
        }
        Reply::from_value(&meta_tools::answer(outcome))
    }

    /// Returns a principal acting in a session: with the tools that belong to the session, if there are any such tools.
    pub(super) fn acting_in(&self, principal: &Principal, session: &ToolSession) -> Principal {
        match &self.creation {
            Some(creation) if creation.is_on() => principal.in_session(session.tag()),
            _ => principal.clone(),
        }
    }
}

async fn run(meta: &MetaTools, message: &Incoming, call: OwnCall) -> Result<RawResult, ErrorObject> {
    let Greeter { servers, tools, .. } = &*meta.greeter;
    let principal = message.caller()?;
    let session = HostSession::of(tools, &principal, message, call.session)?;
    servers.first_lists().await;
    tools.can_count().await;
    if let (MetaRequest::Discover(_) | MetaRequest::Request(_), HostSession::Own(own)) =
        (&call.wanted, &session)
    {
        // A host without a session of its own may search in a new one each time, and would be counted each time.
        tools.count_spared(&principal, own);
    }
    let result = in_session(meta, message, &principal, &session, call.wanted).await?;
    match session.keep(tools, &principal) {
        Some(handle) => with_handle(&result, &handle),
        None => Ok(result),
    }
}

async fn in_session(
    meta: &MetaTools,
    message: &Incoming,
    principal: &Principal,
    session: &HostSession,
    wanted: MetaRequest,
) -> Result<RawResult, ErrorObject> {
    let (session, with_security, tools) = (session.tools(), with_security(message), &meta.greeter.tools);
    let principal = &meta.acting_in(principal, session);
    let result = match wanted {
        MetaRequest::Discover(params) => {
            let started = Instant::now();
            let found = tools.discovery.discover(principal, &params);
            if let Some(times) = &meta.search_times {
                times.searched(started.elapsed());
            }
            let mut found = found?;
            notes::of_search(meta, message, (principal, session), &params, &mut found).await;
            RawJson::from_value(&found)
        }
        MetaRequest::Transaction(request) => {
            return meta.transactions.answer(message, principal, request).await;
        }
        MetaRequest::Read(request) => return meta.reading.answer(message, principal, request).await,
        MetaRequest::Session => {
            let settled = tools.sessions.settle(principal, session, with_security);
            if settled.changed {
                changed(tools, principal, message, session);
            }
            RawJson::from_value(&tools.sessions.describe(&settled))
        }
        MetaRequest::Evict(params) => {
            let evicted = tools.sessions.evict(principal, session, &params, with_security)?;
            if evicted.changed {
                changed(tools, principal, message, session);
            }
            RawJson::from_value(&evicted.result)
        }
        MetaRequest::Request(params) => {
            let mut answered = tools.requests.request(principal, session, &params, with_security).await?;
            let created = match (&meta.creation, &params.creation) {
                (Some(creation), _) => {
                    creation.create(message, principal, session, &params, &mut answered).await
                }
                (None, None) => Ok(false),
                (None, Some(_)) => Err(no_creation()),
            };
            record(&meta.trail, message, principal, &params, (&answered.result, created.as_ref().err()))
                .await?;
            let created = created?;
            if created && tools.exposure != Exposure::Discovery {
                tell_owner(message, session);
            } else if answered.changed {
                changed(tools, principal, message, session);
            }
            notes::of_request(meta, message, (principal, session), &mut answered.result).await;
            recommend(meta, &mut answered).await;
            RawJson::from_value(&answered.result)
        }
    };
    Ok(result?)
}

/// Adds the servers that registries recommend for missing capabilities, if the operator allows any registry.
async fn recommend(meta: &MetaTools, answered: &mut RequestOutcome) {
    let Some(recommender) = &meta.recommender else { return };
    // Not if the caller creates the tool itself, or just did.
    let may_miss = matches!(
        answered.result.status,
        RequestStatus::Unavailable | RequestStatus::Partial | RequestStatus::PendingApproval
    );
    if may_miss {
        answered.result.recommendations = recommender.recommend(&answered.missing).await;
    }
}

/// Returns the error for code in a build without tool creation.
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
    if let Some(trace) = task.as_ref().or_else(|| message.trace()) {
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
