//! The messages that are sent through a peer.

use super::{CallError, Peer, PendingCall};
use crate::outbound::{Body, Outgoing, SendError};
use mgp_types::rpc::{Call, Method, Notice, RawParams, RawResult, RequestId};

impl Peer {
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
        self.connection.next_id()
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
        let params = self.connection.members().put_into(params.into(), &self.session)?;
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

    /// Sends a message. Waits for room first if there is none.
    pub(super) async fn send(&self, body: Body<'_>) -> Result<(), CallError> {
        let message = Outgoing { route: &self.route, body, urgent: false };
        loop {
            match self.connection.outbound().try_send(&message) {
                Ok(()) => return Ok(()),
                Err(SendError::Full) => self.connection.outbound().room(&message).await,
                Err(SendError::Closed) => return Err(self.error().into()),
            }
        }
    }
}
