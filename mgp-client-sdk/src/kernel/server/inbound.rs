//! What a server sends on its own account.

use super::Server;
use crate::kernel::core::Core;
use futures_core::future::BoxFuture;
use mgp_transport::seam::{BoxError, Incoming, Reply, Session};
use mgp_types::{
    audit::{Audit, AuditEvent},
    context::ActorType,
    json::Nullable,
    lifecycle::LifecycleChange,
    mcp::{LogMessage, ToolListChanged},
    negotiation::{Extension, Negotiated},
    rpc::{ErrorObject, Notice},
};
use std::{
    sync::{Arc, Weak},
    task::{Context, Poll},
    time::Duration,
};
use tower_service::Service;

/// Hears what a server sends on its own account. What it says of rights is never believed.
#[derive(Debug, Clone)]
pub(super) struct Inbound {
    pub(super) core: Weak<Core>,
    pub(super) server: Arc<Server>,
}

impl Service<Incoming> for Inbound {
    type Response = Reply;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        let this = self.clone();
        Box::pin(async move {
            if !message.is_notification() {
                return Ok(Reply::error(ErrorObject::method_not_found(&message.method)));
            }
            this.notified(&message).await;
            Ok(Reply::none())
        })
    }
}

impl Inbound {
    async fn notified(&self, message: &Incoming) {
        match &*message.method {
            ToolListChanged::METHOD => self.server.tools_changed.notify_one(),
            Audit::METHOD => self.audit(message).await,
            LifecycleChange::METHOD => {
                tracing::debug!(server = self.server.id(), params = ?message.params, "the server's own word on its state");
            }
            LogMessage::METHOD => {
                tracing::info!(target: "mgp::server_log", server = self.server.id(), params = ?message.params.get());
            }
            _ => {
                tracing::trace!(server = self.server.id(), method = %message.method, "notification passed over");
            }
        }
    }

    /// Keeps an event that the server reports, as its own word: whatever it says, actor and server are the server. Only one
    /// that negotiated `audit` may report, not too much at a time, because all events share one trail.
    async fn audit(&self, message: &Incoming) {
        let Some(core) = self.core.upgrade() else { return };
        let negotiated = message.session().and_then(Session::get::<Negotiated>);
        let length = message.params.get().map_or(0, |params| params.as_bytes().len());
        if !negotiated.is_some_and(|negotiated| negotiated.has(Extension::Audit)) || length > MAX_EVENT {
            return tracing::warn!(server = self.server.id(), length, "audit event of the server dropped");
        }
        match message.params.decode::<AuditEvent>() {
            Ok(mut event) => {
                event.actor.kind = ActorType::Server;
                event.actor.id = self.server.id().to_owned();
                let mut target = event.target.get().cloned().unwrap_or_default();
                target.server_id = Nullable::Value(self.server.id().to_owned());
                event.target = Nullable::Value(target);
                core.store(event).await;
                // Its next notification waits for this one, so this is its pace.
                tokio::time::sleep(EVENT_PAUSE).await;
            }
            Err(error) => tracing::warn!(server = self.server.id(), %error, "unreadable audit event dropped"),
        }
    }
}

/// The longest event that a server may report, in bytes.
const MAX_EVENT: usize = 64 * 1024;

/// The least time between two events that a server reports.
const EVENT_PAUSE: Duration = Duration::from_millis(10);
