//! A handle on the other side.

use super::{BoxError, CancelToken, Incoming, PeerFuture, PendingCall, Session};
use crate::{
    connection::{Body, ConnectionError, Outgoing, Route, SendError, Shared},
    sync::lock,
};
use mgp_types::{
    error::Recovery,
    json::JsonError,
    mcp::{LoggingLevel, stateless::RequestEnvelope},
    rpc::{Call, ErrorObject, Method, Notice, RawParams, RawResult, RequestId},
};
use std::{
    fmt,
    sync::{Arc, atomic::Ordering},
    task::{Context, Poll},
    time::Duration,
};
use tower_service::Service;

/// A handle on the other side of a connection; a clone is cheap.
///
/// It is itself a service from [`Incoming`] to [`Reply`](super::Reply): the innermost one of an outbound stack, so that the same
/// tower layers serve both directions. Over HTTP the peer in `Incoming.ext` belongs to that request: what it sends
/// goes to that request's stream.
#[derive(Clone)]
pub struct Peer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) route: Route,
    /// The connection's, or that of the one request which this peer belongs to.
    pub(crate) session: Session,
}

/// Why a call brought no result.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The peer answered with an error.
    #[error("{0}")]
    Peer(ErrorObject),
    /// The connection was gone before the call was sent.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// The connection ended after the call was sent: the peer may have run it.
    #[error("{0}, before it had answered")]
    Lost(ConnectionError),
    /// The params cannot be written as JSON.
    #[error("failed to write the params: {0}")]
    Params(JsonError),
    /// The result does not have the form that the method asks for.
    #[error("unexpected result of {method}: {error}")]
    Result {
        /// The method that was called.
        method: &'static str,
        /// What is wrong with it.
        error: JsonError,
    },
    /// The peer must know something before it can answer, and nobody here could say it.
    #[error("the peer asked for {method}, which failed: {error}")]
    Input {
        /// What it asked for.
        method: String,
        /// Why there is no answer.
        error: ErrorObject,
    },
    /// The peer answered with something that is no response.
    #[error("the peer's answer cannot be read: {0}")]
    Unreadable(String),
    /// The peer did not answer in time. The call was cancelled.
    #[error("{method} was not answered within {timeout:?}, and was cancelled")]
    Timeout {
        /// The method that was called.
        method: &'static str,
        /// How long it was waited for.
        timeout: Duration,
    },
    /// The caller did not read the notifications of its call.
    #[error("the caller left too many notifications of its call unread, or too long ones ({limit} are kept)")]
    SlowCaller {
        /// How many are kept.
        limit: usize,
    },
    /// Too many calls to this peer are under way.
    #[error("{limit} calls to the peer are under way, which is the limit")]
    TooManyCalls {
        /// How many may be.
        limit: usize,
    },
    /// A server asked a client that speaks a stateless revision of MCP, in which servers send no requests.
    #[error("a server cannot send {0} in a stateless revision of MCP: it asks in the answer to a request")]
    Stateless(Method),
    /// A [`ControlPeer`](super::ControlPeer) was asked to run a tool.
    #[error("a control peer cannot send tools/call")]
    NotControl,
}

impl CallError {
    /// Returns whether the call was sent and it is not known what the peer did with it.
    #[must_use]
    pub fn is_outcome_unknown(&self) -> bool {
        match self {
            Self::Lost(_)
            | Self::Result { .. }
            | Self::Input { .. }
            | Self::Unreadable(_)
            | Self::Timeout { .. }
            | Self::SlowCaller { .. } => true,
            Self::Peer(error) => {
                Recovery::from_error(error).is_some_and(|advice| advice.is_outcome_unknown())
            }
            Self::Connection(_)
            | Self::Params(_)
            | Self::TooManyCalls { .. }
            | Self::Stateless(_)
            | Self::NotControl => false,
        }
    }
}

// A `main` that returns the error prints this form.
impl fmt::Debug for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Peer {
    pub(crate) fn new(shared: Arc<Shared>, route: Route) -> Self {
        let session = shared.session.clone();
        Self { shared, route, session }
    }

    /// Sends a typed request and waits for its result. Notifications that belong to it are dropped.
    ///
    /// # Errors
    /// [`CallError`]: the peer's own error, or why it could not be asked.
    pub async fn request<C: Call>(&self, params: &C::Params) -> Result<C::Result, CallError> {
        let params = RawParams::from_value(params).map_err(CallError::Params)?;
        let result = self.request_raw(C::METHOD, params).await?;
        result.decode().map_err(|error| CallError::Result { method: C::METHOD, error })
    }

    /// Sends a request and waits for its result as text.
    ///
    /// # Errors
    /// [`CallError`]: the peer's own error, or why it could not be asked.
    pub async fn request_raw(
        &self,
        method: impl Into<Method>,
        params: impl Into<RawParams>,
    ) -> Result<RawResult, CallError> {
        self.start(method, params).await?.reply().await
    }

    /// Sends a request. What comes back, notifications first and the reply last, is read from the [`PendingCall`].
    ///
    /// # Errors
    /// [`CallError`]: why it could not be sent.
    pub async fn start(
        &self,
        method: impl Into<Method>,
        params: impl Into<RawParams>,
    ) -> Result<PendingCall, CallError> {
        let id = self.next_id();
        self.start_as(id, method, params).await
    }

    /// An id for [`start_as`](Self::start_as): for params that must name their own request, as a progress token does.
    #[must_use]
    pub fn next_id(&self) -> i64 {
        self.shared.next_id()
    }

    /// Sends a request under an id from [`next_id`](Self::next_id). Progress whose token is that id, and chunks that name it, come back
    /// through the [`PendingCall`].
    ///
    /// # Errors
    /// [`CallError`]: why it could not be sent.
    pub async fn start_as(
        &self,
        id: i64,
        method: impl Into<Method>,
        params: impl Into<RawParams>,
    ) -> Result<PendingCall, CallError> {
        let params = self.with_envelope(params.into())?;
        self.start_exact(id, method, params).await
    }

    /// Does what [`start_as`](Self::start_as) does with params to which nothing is added: where the other side speaks a stateless
    /// revision, they hold the envelope.
    ///
    /// # Errors
    /// [`CallError`]: why it could not be sent.
    pub async fn start_exact(
        &self,
        id: i64,
        method: impl Into<Method>,
        params: impl Into<RawParams>,
    ) -> Result<PendingCall, CallError> {
        let (method, params) = (method.into(), params.into());
        if self.session.is_of_one_request() {
            return Err(CallError::Stateless(method));
        }
        let mut call = PendingCall::register(self.clone(), id)?;
        let request_id = RequestId::from(id);
        let body = Body::Request { id: &request_id, method: &method, params: &params };
        self.send(body).await?;
        call.sent(&method);
        Ok(call)
    }

    /// Sends a message as it is, where there is room for it; for who carries the messages of one connection over another.
    ///
    /// # Errors
    /// [`SendError`].
    pub fn try_forward(&self, body: Body<'_>, urgent: bool) -> Result<(), SendError> {
        self.shared.outbound.try_send(&Outgoing { route: &self.route, body, urgent })
    }

    /// Ends when there may be room for a notification that [`try_forward`](Self::try_forward) did not take.
    pub async fn room(&self) {
        let (method, params) = (Method::known("notifications/message"), RawParams::none());
        let body = Body::Notification { method: &method, params: &params };
        self.shared.outbound.room(&Outgoing { route: &self.route, body, urgent: false }).await;
    }

    /// Hands in the answer to a request that was sent on this connection, for who carries its messages. Returns whether anybody
    /// waits for it.
    pub fn answered(&self, id: &RequestId, outcome: Result<RawResult, ErrorObject>) -> bool {
        id.as_i64().is_some_and(|id| self.shared.pending.finish(id, outcome.map_err(CallError::Peer)))
    }

    /// Says that the other side speaks a stateless revision: from now on each request carries the envelope, unless it carries
    /// one of its own. The first envelope stays.
    pub fn speak_stateless(&self, envelope: RequestEnvelope) {
        let members = envelope.members();
        let _ = self.shared.envelope.set((envelope, members));
    }

    /// What each request carries, where the other side speaks a stateless revision.
    #[must_use]
    pub fn envelope(&self) -> Option<&RequestEnvelope> {
        self.shared.envelope.get().map(|(envelope, _)| envelope)
    }

    /// From which level on each request asks for log messages, where the other side speaks a stateless revision; in the others, a
    /// request of its own says so.
    pub fn set_log_level(&self, level: Option<LoggingLevel>) {
        *lock(&self.shared.log_level) = level;
    }

    /// From which level on each request asks for log messages; see [`set_log_level`](Self::set_log_level).
    #[must_use]
    pub fn log_level(&self) -> Option<LoggingLevel> {
        *lock(&self.shared.log_level)
    }

    fn with_envelope(&self, params: RawParams) -> Result<RawParams, CallError> {
        let Some((envelope, members)) = self.shared.envelope.get() else { return Ok(params) };
        let mut object = params.into_object().map_err(CallError::Peer)?;
        if RequestEnvelope::version_in(&object).is_none() {
            match self.log_level() {
                None => members.write(&mut object),
                level => RequestEnvelope { log_level: level, ..envelope.clone() }.write(&mut object),
            }
        }
        Ok(object.into())
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// [`CallError::Connection`].
    pub async fn notify(
        &self,
        method: impl Into<Method>,
        params: impl Into<RawParams>,
    ) -> Result<(), CallError> {
        let (method, params) = (method.into(), params.into());
        self.send(Body::Notification { method: &method, params: &params }).await
    }

    /// Sends a typed notification.
    ///
    /// # Errors
    /// [`CallError::Connection`] and [`CallError::Params`].
    pub async fn notice<N: Notice>(&self, params: &N::Params) -> Result<(), CallError> {
        let params = RawParams::from_value(params).map_err(CallError::Params)?;
        self.notify(N::METHOD, params).await
    }

    /// Ends when the connection takes no more requests: the other side has sent its last, or the server is being shut down. A
    /// request that stays open on its own account should then end.
    pub async fn draining(&self) {
        self.shared.draining().await;
    }

    /// Whether two peers are the same connection's.
    #[must_use]
    pub fn is_same_connection(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// The session with the other side.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The same side, for what belongs to no request of it.
    #[must_use]
    pub fn unbound(&self) -> Self {
        Self { route: Route::Session, ..self.clone() }
    }

    /// The cancel token of a request that the other side sent and that is still running.
    #[must_use]
    pub fn running(&self, id: &RequestId) -> Option<CancelToken> {
        self.shared.running.token(id)
    }

    /// How many requests of the other side are running.
    #[must_use]
    pub fn running_count(&self) -> usize {
        self.shared.running.count()
    }

    /// Ends when no request of the other side is running and everything is written, or the connection is gone.
    pub async fn idle(&self) {
        let idle = async {
            self.shared.running.idle().await;
            self.shared.outbound.flush().await;
        };
        tokio::select! {
            () = idle => {}
            () = self.shared.closed() => {}
        }
    }

    /// How many texts of the other side were no messages: what a program printed that should speak the protocol only.
    #[must_use]
    pub fn unreadable_count(&self) -> u64 {
        self.shared.unreadable.load(Ordering::Relaxed)
    }

    /// Closes the stream on which the answer to this peer's request is waited for, so that its client polls: it comes back for
    /// what was sent meanwhile, and for the answer. For the peer of no request, the session's own stream.
    ///
    /// Returns whether a stream was closed. Only Streamable HTTP has such streams, and only clients of 2025-11-25 or later come
    /// back to one that was closed; for others nothing happens, and the stream goes on.
    pub fn close_stream(&self) -> bool {
        self.shared.outbound.close_stream(&self.route)
    }

    /// Whether the connection is gone.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.is_closed()
    }

    /// Ends when the connection is gone.
    pub async fn closed(&self) {
        self.shared.closed().await;
    }

    /// Ends the connection: calls in flight fail, requests of the other side are cancelled.
    pub fn close(&self) {
        self.shared.close(ConnectionError::Shutdown);
    }

    /// Sends, and waits for room where there is none.
    async fn send(&self, body: Body<'_>) -> Result<(), CallError> {
        let message = Outgoing { route: &self.route, body, urgent: false };
        loop {
            match self.shared.outbound.try_send(&message) {
                Ok(()) => return Ok(()),
                Err(SendError::Full) => self.shared.outbound.room(&message).await,
                Err(SendError::Closed) => return Err(self.shared.error().into()),
            }
        }
    }

    /// Sends without waiting where there is room; otherwise in a future.
    fn start_service_call(self, incoming: Incoming) -> PeerFuture {
        let Incoming { id, method, params, .. } = incoming;
        if id.is_none() {
            return PeerFuture::slow(async move { self.notify(method, params).await.map(|()| None) });
        }
        let id = self.next_id();
        let mut call = match PendingCall::register(self.clone(), id) {
            Ok(call) => call,
            Err(error) => return PeerFuture::failed(error),
        };
        let request_id = RequestId::from(id);
        let body = Body::Request { id: &request_id, method: &method, params: &params };
        match self.shared.outbound.try_send(&Outgoing { route: &self.route, body, urgent: false }) {
            Ok(()) => {
                call.sent(&method);
                PeerFuture::waiting(call)
            }
            Err(SendError::Closed) => PeerFuture::failed(self.shared.error().into()),
            Err(SendError::Full) => PeerFuture::slow(async move {
                self.send(Body::Request { id: &request_id, method: &method, params: &params }).await?;
                call.sent(&method);
                Ok(Some(call))
            }),
        }
    }
}

impl Service<Incoming> for Peer {
    type Response = super::Reply;
    type Error = BoxError;
    type Future = PeerFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    /// Sends a request under an id of its own and answers with what comes back; the caller's id stays the caller's.
    fn call(&mut self, incoming: Incoming) -> PeerFuture {
        self.clone().start_service_call(incoming)
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer").field("session", &self.shared.session).field("route", &self.route).finish()
    }
}
