//! Sends a host's request that runs no tool to the server that it belongs to, within the agent's rights, and records it.

use super::{core::Core, server::Server};
use mgp_security::audit::EventDraft;
use mgp_transport::{
    connection::error_at_edge,
    seam::{BoxError, Incoming, Reply, Visibility},
};
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::{Principal, TraceId},
    error::ErrorCode,
    rpc::ErrorObject,
};
use std::sync::Arc;
use tower::ServiceExt;

/// The type of the event that records a request which runs no tool.
const REQUEST_FORWARDED: &str = "dev.cloto.mgp.REQUEST_FORWARDED";

/// The servers whose resources, prompts and completions a principal may use, in the order of the configuration.
pub(super) fn visible(core: &Core, principal: &Principal) -> Vec<Arc<Server>> {
    let view = core.access.view(principal);
    core.servers.iter().filter(|server| view.sees_server(server.id())).cloned().collect()
}

/// Sends a request to a server, and records it before its answer is sent. `subject` is what it is about, for the audit trail.
pub(super) async fn forward(
    core: &Core,
    server: &Arc<Server>,
    principal: &Principal,
    message: Incoming,
    subject: &str,
) -> Reply {
    let event = Forwarded::new(server, principal, &message, subject);
    let answered: Result<Reply, BoxError> = server.dispatch().oneshot(message).await;
    event.close(core, answered.unwrap_or_else(|error| Reply::error(error_at_edge(&error)))).await
}

/// The event of a request that a server answers.
pub(super) struct Forwarded(EventDraft);

impl Forwarded {
    pub(super) fn new(server: &Server, principal: &Principal, message: &Incoming, subject: &str) -> Self {
        let event = EventDraft::new(AuditEventType::from(REQUEST_FORWARDED), principal)
            .server(server.id())
            .detail("method", &*message.method)
            .detail("subject", subject);
        Self(match message.ext.get::<TraceId>() {
            Some(trace) => event.trace(trace),
            None => event,
        })
    }

    /// Stores it before the answer is sent. An answer that cannot be recorded is kept back.
    pub(super) async fn close(self, core: &Core, reply: Reply) -> Reply {
        let Self(mut event) = self;
        if reply.is_cancelled() {
            event = event.detail("cancelled", &true);
        }
        let failed = reply.as_error().is_some() || reply.is_cancelled();
        let result = if failed { AuditResult::Failure } else { AuditResult::Success };
        match core.sink.record(event.result(result).finish()).await {
            Ok(()) => reply,
            Err(error) => {
                tracing::error!(%error, "a request could not be recorded: its answer is kept back");
                Reply::error(ErrorObject::internal("internal error: the audit trail cannot be written"))
            }
        }
    }
}

/// Who calls.
pub(super) fn caller(message: &Incoming) -> Result<Principal, ErrorObject> {
    let principal = message.ext.get::<Principal>().cloned();
    principal.ok_or_else(|| ErrorCode::AuthRequired.error("the caller is not known"))
}
