//! A handle on the other side.

use super::{BoxError, CancelToken, Incoming, PeerFuture, PendingCall, Session};
use crate::connection::{Body, ConnectionError, Outgoing, Route, SendError, Shared};
use mgp_types::{
    json::JsonError,
    rpc::{Call, ErrorObject, Method, Notice, RawParams, RawResult, RequestId},
};
use std::{
    fmt,
    sync::Arc,
    task::{Context, Poll},
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
}

/// Why a call brought no result.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The peer answered with an error.
    #[error("{0}")]
    Peer(ErrorObject),
    /// The connection could not carry the call.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
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
    /// The peer answered with something that is no response.
    #[error("the peer's answer cannot be read: {0}")]
    Unreadable(String),
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
    /// A [`ControlPeer`](super::ControlPeer) was asked to run a tool.
    #[error("a control peer cannot send tools/call")]
    NotControl,
}

impl Peer {
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
        let mut call = PendingCall::register(self.clone(), id)?;
        let (method, params) = (method.into(), params.into());
        let request_id = RequestId::from(id);
        let body = Body::Request { id: &request_id, method: &method, params: &params };
        self.send(body).await?;
        call.sent(&method);
        Ok(call)
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

    /// The session with the other side.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.shared.session
    }

    /// The same side, for what belongs to no request of it.
    #[must_use]
    pub fn unbound(&self) -> Self {
        Self { shared: self.shared.clone(), route: Route::Session }
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
