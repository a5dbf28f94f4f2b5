//! The service that receives the messages of the server.

use super::{ActiveCallbacks, Handlers};
use crate::{
    call_clock::CallClock,
    callbacks::{CallbackAnswers, not_supported},
    client::{cache::Cache, call_end::CallEnd, session_listeners::SessionListeners},
};
use futures_util::{FutureExt, future::BoxFuture};
use mgp_transport::seam::{BoxError, BoxPeerService, Incoming, Notification, Reply};
use mgp_types::{
    callback::CallbackRequest,
    mcp::LogMessage,
    negotiation::{Extension, Negotiation},
    rpc::{ErrorObject, Notice},
};
use std::{
    panic::AssertUnwindSafe,
    sync::Arc,
    task::{Context, Poll},
};
use tower::ServiceExt;
use tower_service::Service;

/// A service that passes the messages of the server to the client's handlers, and the rest to its service, if it has one. `ping` is
/// answered by the connection.
#[derive(Debug, Clone)]
pub(in crate::client) struct Inbound {
    pub(in crate::client) handlers: Arc<Handlers>,
    pub(in crate::client) listeners: SessionListeners,
    pub(in crate::client) cache: Cache,
    pub(in crate::client) rest: Option<BoxPeerService>,
    /// The clock of requests, which is paused while questions of the server are answered.
    pub(in crate::client) clock: CallClock,
    pub(in crate::client) callbacks: CallbackAnswers,
    pub(in crate::client) active_callbacks: ActiveCallbacks,
}

impl Inbound {
    async fn handle(self, message: Incoming) -> Result<Reply, BoxError> {
        if message.is_notification() {
            return self.hear(message).await;
        }
        let _standing_still = self.clock.pause();
        match (self.handlers.get(&message.method), self.rest) {
            (Some(handler), _) => Ok(handler(message.params).await.into()),
            (None, Some(rest)) => rest.oneshot(message).await,
            (None, None) => Ok(Reply::error(ErrorObject::method_not_found(&message.method))),
        }
    }

    async fn hear(self, message: Incoming) -> Result<Reply, BoxError> {
        self.cache.hear(&message.method);
        self.listeners.tell(&message.method, &message.params);
        self.hear_callback(&message);
        if let Some(on_log) = self.handlers.on_log.as_ref().filter(|_| *message.method == *LogMessage::METHOD)
        {
            match message.params.decode() {
                Ok(line) => on_log(line).await,
                Err(error) => tracing::debug!(%error, "unreadable log message ignored"),
            }
        }
        if let Some(on_notification) = &self.handlers.on_notification {
            let (method, params) = (message.method.clone(), message.params.clone());
            on_notification(Notification { method, params }).await;
        }
        match self.rest {
            Some(rest) => rest.oneshot(message).await,
            None => Ok(Reply::none()),
        }
    }
}

impl Inbound {
    /// Answers a callback with its handler, or refuses it, unless the program itself offered to answer callbacks.
    fn hear_callback(&self, message: &Incoming) {
        let Some(server) = message.peer().filter(|_| *message.method == *CallbackRequest::METHOD) else {
            return;
        };
        let negotiated = server.session().get::<Negotiation>();
        if !negotiated.is_some_and(|negotiated| negotiated.has(Extension::Callbacks)) {
            self.callbacks.refuse(server, &message.params, &not_supported());
        } else if let Some(handler) = &self.handlers.on_callback {
            let call = message.ext.get::<CallEnd>().cloned();
            let call = (call, &self.clock);
            self.active_callbacks.answer(handler, server, &message.params, call, &self.callbacks);
        }
    }
}

impl Service<Incoming> for Inbound {
    type Response = Reply;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        let (this, method) = (self.clone(), message.method.clone());
        // A question in a round is answered inside the client's own call, which must not end with a handler's panic.
        let handled = AssertUnwindSafe(async move { this.handle(message).await }).catch_unwind();
        async move {
            handled.await.unwrap_or_else(|_| {
                tracing::error!(%method, "a handler panicked");
                Ok(Reply::error(ErrorObject::internal(format!(
                    "failed to answer {method}: the handler panicked"
                ))))
            })
        }
        .boxed()
    }
}
