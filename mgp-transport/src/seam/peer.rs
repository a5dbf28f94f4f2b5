//! A handle on the other side.

use super::{BoxError, CancelToken, Incoming, PeerFuture, PendingCall, Session};
use crate::connection::{Body, ConnectionError, ConnectionState, Outgoing, Route, SendError};
use crate::long_text::LongTexts;
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
/// tower layers serve both directions. Over HTTP, the peer in `Incoming.ext` belongs to its request: messages sent through it go to
/// that request's stream.
#[derive(Clone)]
pub struct Peer {
    pub(crate) shared: Arc<ConnectionState>,
    pub(crate) route: Route,
    /// The session of the connection, or of the one request that this peer belongs to.
    pub(crate) session: Session,
}

/// The reason why a call has no result.
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
    /// The result does not have the form that the method requires.
    #[error("unexpected result of {method}: {error}")]
    Result {
        /// The method that was called.
        method: &'static str,
        /// The error of decoding the result.
        error: JsonError,
    },
    /// The peer needs input before it can answer, and this side could not give it.
    #[error("the peer asked for {method}, which failed: {error}")]
    Input {
        /// The method of the peer's request for input.
        method: String,
        /// The reason why there is no input.
        error: ErrorObject,
    },
    /// The peer answered with something that is not a response.
    #[error("the peer's answer cannot be read: {0}")]
    Unreadable(String),
    /// The peer did not answer in time. The call was cancelled.
    #[error("{method} was not answered within {timeout:?}, and was cancelled")]
    Timeout {
        /// The method that was called.
        method: &'static str,
        /// The time limit that passed.
        timeout: Duration,
    },
    /// The caller did not read the notifications of its call.
    #[error("the caller left too many notifications of its call unread, or too long ones ({limit} are kept)")]
    SlowCaller {
        /// The most notifications that are kept for a call.
        limit: usize,
    },
    /// Too many calls to this peer are in flight.
    #[error("{limit} calls to the peer are under way, which is the limit")]
    TooManyCalls {
        /// The most calls that may be in flight.
        limit: usize,
    },
    /// A server tried to send a request to a client that uses a stateless revision of MCP. Servers send no requests in these
    /// revisions.
    #[error("a server cannot send {0} in a stateless revision of MCP: it asks in the answer to a request")]
    Stateless(Method),
    /// A [`ControlPeer`](super::ControlPeer) was asked to run a tool.
    #[error("a control peer cannot send tools/call")]
    NotControl,
}

impl CallError {
    /// Returns `true` if the call was sent and its outcome at the peer is unknown.
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
    pub(crate) fn new(shared: Arc<ConnectionState>, route: Route) -> Self {
        let session = shared.session.clone();
        Self { shared, route, session }
    }

    /// Sends a typed request and waits for its result. Notifications that belong to the request are dropped.
    ///
    /// # Errors
    /// Returns the peer's own error, or the reason why no result was received.
    pub async fn request<C: Call>(&self, params: &C::Params) -> Result<C::Result, CallError> {
        let params = RawParams::from_value(params).map_err(CallError::Params)?;
        let result = self.request_raw(C::METHOD, params).await?;
        result.decode().map_err(|error| CallError::Result { method: C::METHOD, error })
    }

    /// Sends a request and waits for its result as text.
    ///
    /// # Errors
    /// Returns the peer's own error, or the reason why no result was received.
    pub async fn request_raw(
        &self,
        method: impl Into<Method>,
        params: impl Into<RawParams>,
    ) -> Result<RawResult, CallError> {
        self.start(method, params).await?.reply().await
    }

    /// Sends a request. Its notifications, and finally its reply, are read from the [`PendingCall`].
    ///
    /// # Errors
    /// Returns the reason why the request could not be sent.
    pub async fn start(
        &self,
        method: impl Into<Method>,
        params: impl Into<RawParams>,
    ) -> Result<PendingCall, CallError> {
        let id = self.next_id();
        self.start_as(id, method, params).await
    }

    /// Returns an id for [`start_as`](Self::start_as), for params that must name their own request, for example as a progress token.
    #[must_use]
    pub fn next_id(&self) -> i64 {
        self.shared.next_id()
    }

    /// Sends a request under an id from [`next_id`](Self::next_id). Progress whose token is that id, and chunks that name that
    /// id, are delivered to the [`PendingCall`].
    ///
    /// # Errors
    /// Returns the reason why the request could not be sent.
    pub async fn start_as(
        &self,
        id: i64,
        method: impl Into<Method>,
        params: impl Into<RawParams>,
    ) -> Result<PendingCall, CallError> {
        let params = self.with_members(params.into())?;
        self.start_exact(id, method, params).await
    }

    /// Sends a request as [`start_as`](Self::start_as) does, but adds nothing to its params. If the other side uses a stateless
    /// revision, the params must already hold the envelope.
    ///
    /// # Errors
    /// Returns the reason why the request could not be sent.
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

    /// Sends a message unchanged, if there is room for it. For code that carries the messages of one connection over another.
    ///
    /// # Errors
    /// Returns a [`SendError`] if there is no room, or if the connection is closed.
    pub fn try_forward(&self, body: Body<'_>, urgent: bool) -> Result<(), SendError> {
        self.shared.outbound.try_send(&Outgoing { route: &self.route, body, urgent })
    }

    /// Waits until there may be room for a notification that [`try_forward`](Self::try_forward) did not accept.
    pub async fn room(&self) {
        let (method, params) = (Method::known("notifications/message"), RawParams::none());
        let body = Body::Notification { method: &method, params: &params };
        self.shared.outbound.room(&Outgoing { route: &self.route, body, urgent: false }).await;
    }

    /// Delivers the answer to a request that was sent on this connection, for code that carries its messages. Returns whether a
    /// call was waiting for the answer.
    pub fn answered(&self, id: &RequestId, outcome: Result<RawResult, ErrorObject>) -> bool {
        id.number().is_some_and(|id| self.shared.pending.finish(id, outcome.map_err(CallError::Peer)))
    }

    /// Switches to a stateless revision: from now on each request carries the envelope, unless it already has one. The first
    /// envelope is kept.
    pub fn speak_stateless(&self, envelope: RequestEnvelope) {
        let members = envelope.members();
        let _ = self.shared.envelope.set((envelope, members));
    }

    /// Returns the envelope that each request carries, if the other side uses a stateless revision.
    #[must_use]
    pub fn envelope(&self) -> Option<&RequestEnvelope> {
        self.shared.envelope.get().map(|(envelope, _)| envelope)
    }

    /// Sets the least level of the log messages that each request asks for, if the other side uses a stateless revision. In other
    /// revisions, a separate request sets the level.
    pub fn set_log_level(&self, level: Option<LoggingLevel>) {
        *self.shared.log_level.lock() = level;
    }

    /// Returns the least level of the log messages that each request asks for; see [`set_log_level`](Self::set_log_level).
    #[must_use]
    pub fn log_level(&self) -> Option<LoggingLevel> {
        *self.shared.log_level.lock()
    }

    /// Adds the members that each request of this side carries.
    fn with_members(&self, params: RawParams) -> Result<RawParams, CallError> {
        let (envelope, add) = (self.shared.envelope.get(), self.shared.config.request_members);
        if envelope.is_none() && add.is_none() {
            return Ok(params);
        }
        let mut object = params.into_object().map_err(CallError::Peer)?;
        if let Some(add) = add {
            add(&mut object, &self.session);
        }
        if let Some((envelope, members)) = envelope
            && RequestEnvelope::version_in(&object).is_none()
        {
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
    /// Returns [`CallError::Connection`] if the connection is closed.
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
    /// Returns [`CallError::Connection`] or [`CallError::Params`].
    pub async fn notice<N: Notice>(&self, params: &N::Params) -> Result<(), CallError> {
        let params = RawParams::from_value(params).map_err(CallError::Params)?;
        self.notify(N::METHOD, params).await
    }

    /// Waits until the connection accepts no more requests: the other side has sent its last, or the server is shutting down. A
    /// request that stays open until it is cancelled should then end.
    pub async fn draining(&self) {
        self.shared.draining().await;
    }

    /// Announces that the connection accepts no more requests, as the end of its input does. Long waits should then end
    /// ([`draining`](Self::draining)).
    pub fn drain(&self) {
        self.shared.drain();
    }

    /// Returns `true` if both peers belong to the same connection.
    #[must_use]
    pub fn is_same_connection(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// Returns the session with the other side.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns a handle on the same side for messages that belong to no request.
    #[must_use]
    pub fn unbound(&self) -> Self {
        Self { route: Route::Session, ..self.clone() }
    }

    /// Returns the cancel token of a request that the other side sent and that is still running.
    #[must_use]
    pub fn running(&self, id: &RequestId) -> Option<CancelToken> {
        self.shared.running.token(id)
    }

    /// Returns the number of requests of the other side that are running.
    #[must_use]
    pub fn running_count(&self) -> usize {
        self.shared.running.count()
    }

    /// Waits until everything is written, and over HTTP answered, or the connection is gone. Returns the number of notifications
    /// since the connection began that the other side refused. Only HTTP counts them.
    pub async fn settled(&self) -> u64 {
        tokio::select! {
            () = self.shared.outbound.flush() => {}
            () = self.shared.closed() => {}
        }
        self.shared.outbound.refused_notices()
    }

    /// Waits until no request of the other side is running and everything is written, or the connection is gone.
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

    /// Returns the number of messages received from the other side, a sign that it is alive.
    #[must_use]
    pub fn received_count(&self) -> u64 {
        self.shared.received.load(Ordering::Relaxed)
    }

    /// Returns the number of texts of the other side that were not messages, such as the output of a program that should print
    /// only the protocol.
    #[must_use]
    pub fn unreadable_count(&self) -> u64 {
        self.shared.unreadable.load(Ordering::Relaxed)
    }

    /// Closes the stream that waits for the answer to this peer's request, so that its client polls: it reconnects for the
    /// messages sent in the meantime, and for the answer. A peer without a request closes the session's own stream.
    ///
    /// Returns whether a stream was closed. Only Streamable HTTP has these streams, and only clients of 2025-11-25 or later
    /// reconnect to a closed one. For all others the call has no effect.
    pub fn close_stream(&self) -> bool {
        self.shared.outbound.close_stream(&self.route)
    }

    /// Returns the long strings of the calls on the connection; `None` if the transport has none, as over HTTP.
    #[must_use]
    pub fn long_texts(&self) -> Option<&LongTexts> {
        self.shared.outbound.long_texts()
    }

    /// Returns `true` if the connection is gone.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.is_closed()
    }

    /// Waits until the connection is gone.
    pub async fn closed(&self) {
        self.shared.closed().await;
    }

    /// Ends the connection: calls in flight fail, requests of the other side are cancelled.
    pub fn close(&self) {
        self.shared.close(ConnectionError::Shutdown);
    }

    /// Sends a message. Waits for room first if there is none.
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

    /// Sends a message at once if there is room; otherwise, the returned future sends it.
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

    /// Sends a request under a new id and answers with its reply; the caller's id is not sent.
    fn call(&mut self, incoming: Incoming) -> PeerFuture {
        self.clone().start_service_call(incoming)
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer").field("session", &self.shared.session).field("route", &self.route).finish()
    }
}
