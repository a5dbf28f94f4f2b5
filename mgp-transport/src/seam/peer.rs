//! A handle on the other side.

use super::{CallError, CancelToken, Session, peer_connection::PeerConnection};
use crate::{
    long_text::LongTexts,
    outbound::{Body, ConnectionError, Outgoing, Route, SendError},
};
use mgp_types::{
    mcp::{LoggingLevel, stateless::RequestEnvelope},
    rpc::{ErrorObject, Method, RawParams, RawResult, RequestId},
};
use std::{fmt, sync::Arc};

/// A handle on the other side of a connection; a clone is cheap.
///
/// It is itself a service from [`Incoming`](super::Incoming) to [`Reply`](super::Reply): the innermost one of an outbound stack, so that the same
/// tower layers serve both directions. Over HTTP, the peer in `Incoming.ext` belongs to its request: messages sent through it go to
/// that request's stream.
#[derive(Clone)]
pub struct Peer {
    pub(super) connection: Arc<dyn PeerConnection>,
    pub(super) route: Route,
    /// The session of the connection, or of the one request that this peer belongs to.
    pub(super) session: Session,
}

impl Peer {
    pub(crate) fn new(connection: Arc<dyn PeerConnection>, route: Route) -> Self {
        let session = connection.session().clone();
        Self { connection, route, session }
    }

    #[cfg(any(feature = "http-server", feature = "http-client"))]
    pub(crate) fn connection(&self) -> &dyn PeerConnection {
        &*self.connection
    }

    /// Sends a message unchanged, if there is room for it. For code that carries the messages of one connection over another.
    ///
    /// # Errors
    /// Returns a [`SendError`] if there is no room, or if the connection is closed.
    pub fn try_forward(&self, body: Body<'_>, urgent: bool) -> Result<(), SendError> {
        self.connection.outbound().try_send(&Outgoing { route: &self.route, body, urgent })
    }

    /// Waits until there may be room for a notification that [`try_forward`](Self::try_forward) did not accept.
    pub async fn room(&self) {
        let (method, params) = (Method::known("notifications/message"), RawParams::none());
        let body = Body::Notification { method: &method, params: &params };
        self.connection.outbound().room(&Outgoing { route: &self.route, body, urgent: false }).await;
    }

    /// Delivers the answer to a request that was sent on this connection, for code that carries its messages. Returns whether a
    /// call was waiting for the answer.
    pub fn answered(&self, id: &RequestId, outcome: Result<RawResult, ErrorObject>) -> bool {
        id.number().is_some_and(|id| self.connection.finish(id, outcome.map_err(CallError::Peer)))
    }

    /// Switches to a stateless revision: from now on each request carries the envelope, unless it already has one. The first
    /// envelope is kept.
    pub fn speak_stateless(&self, envelope: RequestEnvelope) {
        self.connection.members().speak_stateless(envelope);
    }

    /// Returns the envelope that each request carries, if the other side uses a stateless revision.
    #[must_use]
    pub fn envelope(&self) -> Option<&RequestEnvelope> {
        self.connection.members().envelope()
    }

    /// Sets the least level of the log messages that each request asks for, if the other side uses a stateless revision. In other
    /// revisions, a separate request sets the level.
    pub fn set_log_level(&self, level: Option<LoggingLevel>) {
        self.connection.members().set_log_level(level);
    }

    /// Returns the least level of the log messages that each request asks for; see [`set_log_level`](Self::set_log_level).
    #[must_use]
    pub fn log_level(&self) -> Option<LoggingLevel> {
        self.connection.members().log_level()
    }

    /// Waits until the connection accepts no more requests: the other side has sent its last, or the server is shutting down. A
    /// request that stays open until it is cancelled should then end.
    pub async fn draining(&self) {
        self.connection.draining().cancelled().await;
    }

    /// Announces that the connection accepts no more requests, as the end of its input does. Long waits should then end
    /// ([`draining`](Self::draining)).
    pub fn drain(&self) {
        self.connection.draining().cancel();
    }

    /// Returns `true` if both peers belong to the same connection.
    #[must_use]
    pub fn is_same_connection(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.connection, &other.connection)
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
        self.connection.running(id)
    }

    /// Returns the number of requests of the other side that are running.
    #[must_use]
    pub fn running_count(&self) -> usize {
        self.connection.running_count()
    }

    /// Waits until everything is written, and over HTTP answered, or the connection is gone. Returns the number of notifications
    /// since the connection began that the other side refused. Only HTTP counts them.
    pub async fn settled(&self) -> u64 {
        tokio::select! {
            () = self.connection.outbound().flush() => {}
            () = self.connection.closed() => {}
        }
        self.connection.outbound().refused_notices()
    }

    /// Waits until no request of the other side is running and everything is written, or the connection is gone.
    pub async fn idle(&self) {
        let idle = async {
            self.connection.idle().await;
            self.connection.outbound().flush().await;
        };
        tokio::select! {
            () = idle => {}
            () = self.connection.closed() => {}
        }
    }

    /// Returns the number of messages received from the other side, a sign that it is alive.
    #[must_use]
    pub fn received_count(&self) -> u64 {
        self.connection.received_count()
    }

    /// Returns the number of texts of the other side that were not messages, such as the output of a program that should print
    /// only the protocol.
    #[must_use]
    pub fn unreadable_count(&self) -> u64 {
        self.connection.unreadable_count()
    }

    /// Closes the stream that waits for the answer to this peer's request, so that its client polls: it reconnects for the
    /// messages sent in the meantime, and for the answer. A peer without a request closes the session's own stream.
    ///
    /// Returns whether a stream was closed. Only Streamable HTTP has these streams, and only clients of 2025-11-25 or later
    /// reconnect to a closed one. For all others the call has no effect.
    pub fn close_stream(&self) -> bool {
        self.connection.outbound().close_stream(&self.route)
    }

    /// Returns the long strings of the calls on the connection; `None` if the transport has none, as over HTTP.
    #[must_use]
    pub fn long_texts(&self) -> Option<&LongTexts> {
        self.connection.outbound().long_texts()
    }

    /// Returns `true` if the connection is gone.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.connection.closed_reason().is_some()
    }

    /// Waits until the connection is gone.
    pub async fn closed(&self) {
        self.connection.closed().await;
    }

    /// Ends the connection: calls in flight fail, requests of the other side are cancelled.
    pub fn close(&self) {
        self.connection.close(ConnectionError::Shutdown);
    }

    /// Returns the reason why nothing more can be sent.
    pub(crate) fn error(&self) -> ConnectionError {
        self.connection.closed_reason().unwrap_or(ConnectionError::Closed)
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer")
            .field("session", self.connection.session())
            .field("route", &self.route)
            .finish()
    }
}
