//! Handles the messages that a server sends on its own initiative.

use super::{Link, Server, observer::ServerObserver};
use crate::ground::changes::Change;
use futures_core::future::BoxFuture;
use jiff::Timestamp;
use mgp_transport::seam::{BoxError, Incoming, Reply, Session};
use mgp_types::{
    audit::{Audit, AuditEvent},
    callback::CallbackRequest,
    context::ActorType,
    events::Event,
    json::{Nullable, RawJson, RawObject},
    lifecycle::LifecycleChange,
    mcp::{
        ElicitationComplete, LogMessage, PromptListChanged, ResourceListChanged, ResourceUpdated,
        ToolListChanged,
        tasks::{core::TaskStatusChanged, extension::TaskChanged},
    },
    negotiation::{Extension, Negotiation},
    rpc::{ErrorObject, Notice, RawParams, RawResult},
};
use std::{
    sync::{Arc, Weak},
    task::{Context, Poll},
    time::Duration,
};
use tower_service::Service;

/// The service for messages that a server sends on its own initiative. A server's claims about its rights are ignored.
#[derive(Clone)]
pub(super) struct Inbound {
    /// Weak, because the connection of a server holds this service, and the observer holds the server.
    observer: Weak<dyn ServerObserver>,
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
                return Ok(this.asked(message).await.into());
            }
            this.notified(&message).await;
            Ok(Reply::none())
        })
    }
}

impl Inbound {
    pub(super) fn new(observer: &Arc<dyn ServerObserver>, server: &Arc<Server>) -> Self {
        Self { observer: Arc::downgrade(observer), server: server.clone() }
    }

    async fn asked(&self, message: Incoming) -> Result<RawResult, ErrorObject> {
        let observer = self.observer.upgrade();
        // Without the rooms above, only the host of a call can answer.
        let Some(observer) = observer else { return self.server.exchange.answer(message, &|| None).await };
        let answer = observer.request(&self.server, message);
        drop(observer);
        answer.await
    }

    async fn notified(&self, message: &Incoming) {
        match &*message.method {
            Audit::METHOD => {
                let negotiated = message.session().and_then(Session::get::<Negotiation>);
                self.audit(negotiated.as_ref(), &message.params).await;
            }
            CallbackRequest::METHOD => self.server.exchange.callback(message).await,
            LogMessage::METHOD | TaskStatusChanged::METHOD => self.observed(message).await,
            _ => self.heard(message).await,
        }
    }

    /// Announces the server's permissions to it.
    pub(super) fn announce_permissions(&self, link: &Arc<Link>) {
        if let Some(observer) = self.observer.upgrade() {
            observer.announce_permissions(&self.server, link);
        }
    }

    /// Handles a notification of a change.
    pub(super) async fn heard(&self, message: &Incoming) {
        let params = || message.params.object().cloned().unwrap_or_else(|_| RawObject::new());
        match &*message.method {
            ToolListChanged::METHOD => self.server.offers.changes.note(Change::Tools),
            PromptListChanged::METHOD => self.server.offers.changes.note(Change::Prompts),
            ResourceListChanged::METHOD => self.server.offers.changes.note(Change::Resources),
            ResourceUpdated::METHOD => {
                if let Some(uri) = params().text("uri") {
                    self.updated(&uri).await;
                }
            }
            LifecycleChange::METHOD => {
                tracing::debug!(
                    server = self.server.id(),
                    params = ?params(),
                    "the server's own statement about its state"
                );
            }
            TaskChanged::METHOD | Event::METHOD => self.observed(message).await,
            ElicitationComplete::METHOD => {
                self.server.exchange.elicitation_complete(&params()).await;
            }
            method => tracing::trace!(server = self.server.id(), method, "notification ignored"),
        }
    }

    /// Notifies the hosts that a resource has changed. A resource that no host watches is ignored.
    pub(super) async fn updated(&self, uri: &str) {
        if let Some(observer) = self.observer.upgrade().filter(|_| self.server.watched().has(uri)) {
            observer.resource_updated(&self.server, uri).await;
        }
    }

    async fn observed(&self, message: &Incoming) {
        if let Some(observer) = self.observer.upgrade() {
            observer.notification(&self.server, message).await;
        }
    }

    /// Stores an event that the server reports. Its actor and its target are always the server, and its time is that of its receipt,
    /// because the trail is ordered by time. Only a server that negotiated `audit` may report events. Their size and rate are limited,
    /// because all events share one trail.
    pub(super) async fn audit(&self, negotiated: Option<&Negotiation>, params: &RawParams) {
        let length = params.get().map_or(0, |params| params.as_bytes().len());
        if !negotiated.is_some_and(|negotiated| negotiated.has(Extension::Audit)) || length > MAX_EVENT {
            if let Some(left_out) = self.server.warnings.audit_events.admit() {
                let server = self.server.id();
                tracing::warn!(server, length, left_out, "audit event of the server dropped");
            }
            return;
        }
        match params.decode::<AuditEvent>() {
            Ok(mut event) => {
                event.actor.kind = ActorType::Server;
                event.actor.id = self.server.id().to_owned();
                let mut target = event.target.get().cloned().unwrap_or_default();
                target.server_id = Nullable::Value(self.server.id().to_owned());
                event.target = Nullable::Value(target);
                let reported_at = std::mem::replace(&mut event.timestamp, format!("{:.3}", Timestamp::now()));
                event.details.get_or_insert_default().insert("reported_at", RawJson::string(&reported_at));
                self.server.rights.trail.store(event).await;
                // The server's next notification waits for this one, so this pause limits the server's rate.
                tokio::time::sleep(EVENT_PAUSE).await;
            }
            Err(error) => {
                if let Some(left_out) = self.server.warnings.audit_events.admit() {
                    tracing::warn!(server = self.server.id(), %error, left_out, "unreadable audit event dropped");
                }
            }
        }
    }
}

/// The maximum size of an audit event that a server reports, in bytes, with all its members.
const MAX_EVENT: usize = 64 * 1024;

/// The minimum time between two audit events that a server reports.
const EVENT_PAUSE: Duration = Duration::from_millis(10);
