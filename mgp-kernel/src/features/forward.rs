//! Forwards a host's request other than a tool call to its server, within the agent's rights, and records it.

use super::instances::Instances;
use crate::{
    ground::{
        request_head::{not_recorded, short},
        trail::Trail,
    },
    rights::rights::Rights,
    upstream::{Server, servers::Servers},
};
use mgp_security::audit::{Droppable, EventDraft, OpenEvent};
use mgp_transport::{
    connection::error_at_edge,
    seam::{BoxError, Incoming, Reply, RouteError, Visibility},
};
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::Principal,
    mcp::tasks::core::GetTaskPayload,
    rpc::{Call, ErrorObject},
};
use std::sync::Arc;
use tower::ServiceExt;

/// The type of the event of a request other than a tool call.
const REQUEST_FORWARDED: &str = "dev.cloto.mgp.REQUEST_FORWARDED";

/// The servers, for forwarding requests about resources, prompts and tasks.
#[derive(Debug, Clone)]
pub(crate) struct Forwarder {
    pub(crate) servers: Arc<Servers>,
    pub(crate) rights: Arc<Rights>,
    pub(crate) instances: Instances,
}

impl Forwarder {
    /// Returns the servers whose resources, prompts and completions a principal may use, in order.
    pub(crate) fn visible(&self, principal: &Principal) -> Vec<Arc<Server>> {
        let view = self.rights.access.view(principal);
        self.servers.load().iter().filter(|server| view.sees_server(server.id())).cloned().collect()
    }

    /// Sends a request to a server, and records the request before its answer is sent. `subject` names the prompt, resource or task
    /// of the request in the audit trail. A request with a duplicate key in an object is refused, like a call.
    pub(crate) async fn forward(
        &self,
        server: &Arc<Server>,
        principal: &Principal,
        message: Incoming,
        subject: &str,
    ) -> Result<Reply, RouteError> {
        let read = message.params.object().and_then(|params| Ok(params.check_unique_keys()?));
        read.map_err(|error| RouteError::about(subject, error))?;
        let server =
            &self.instances.of(server, &message).map_err(|error| RouteError::about(subject, error))?;
        let trail = &self.rights.trail;
        let event = match ForwardEvent::begin(trail, server, principal, &message, subject) {
            Ok(event) => event,
            Err(error) => return Ok(Reply::error(error)),
        };
        let answered: Result<Reply, BoxError> = if message.method == *GetTaskPayload::METHOD {
            // The request waits for the end of a task, without a limit.
            server.waiting().oneshot(message).await
        } else {
            server.dispatch(message).await
        };
        let reply = answered.unwrap_or_else(|error| Reply::error(error_at_edge(&error)));
        Ok(event.close(reply).await)
    }
}

/// The event of a request that a server answers. It is recorded even if the request is dropped, for example with its host.
pub(crate) struct ForwardEvent(OpenEvent);

impl ForwardEvent {
    /// Begins the event, before the request is sent.
    ///
    /// # Errors
    /// 3001 while events cannot be stored.
    pub(crate) fn begin(
        trail: &Trail,
        server: &Server,
        principal: &Principal,
        message: &Incoming,
        subject: &str,
    ) -> Result<Self, ErrorObject> {
        trail.sink.admit().map_err(|error| error.refusal())?;
        let event = EventDraft::new(AuditEventType::from(REQUEST_FORWARDED), principal)
            .server(server.id())
            .method(&message.method)
            .detail("subject", short(subject));
        let event = match message.trace() {
            Some(trace) => event.trace(trace),
            None => event,
        };
        Ok(Self(OpenEvent::begin(&trail.sink, event)))
    }

    /// Stores the event before the answer is sent. If the event cannot be stored, the answer is withheld.
    pub(crate) async fn close(self, reply: Reply) -> Reply {
        let recorded = self.0.close(|event| match reply.as_error() {
            _ if reply.is_cancelled() => event.dropped(),
            Some(_) => event.result(AuditResult::Failure).finish(),
            None => event.result(AuditResult::Success).finish(),
        });
        recorded.await.map_or_else(|error| not_recorded(&error), |()| reply)
    }
}
