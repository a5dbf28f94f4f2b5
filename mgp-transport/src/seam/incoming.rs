//! A request or notification of the other side.

use super::{CallContext, CancelToken, Peer, Session};
use http::Extensions;
use mgp_types::rpc::{Method, RawParams, RequestId};

/// A request (with an id) or a notification (without).
#[derive(Debug, Clone)]
pub struct Incoming {
    /// The id as the other side sent it; `None` for a notification.
    pub id: Option<RequestId>,
    /// The method of the request or notification.
    pub method: Method,
    /// The params, as text.
    pub params: RawParams,
    /// Typed context, such as the caller, the session and the tool. Never sent on the wire.
    pub ext: Extensions,
}

impl Incoming {
    /// Creates a request without context.
    pub fn request(
        id: impl Into<RequestId>,
        method: impl Into<Method>,
        params: impl Into<RawParams>,
    ) -> Self {
        Self { id: Some(id.into()), method: method.into(), params: params.into(), ext: Extensions::new() }
    }

    /// Creates a notification without context.
    pub fn notification(method: impl Into<Method>, params: impl Into<RawParams>) -> Self {
        Self { id: None, method: method.into(), params: params.into(), ext: Extensions::new() }
    }

    /// Returns `true` if the message is a notification, which gets no answer.
    #[must_use]
    pub fn is_notification(&self) -> bool {
        self.id.is_none()
    }

    /// Returns the peer that sent the message. Over HTTP, messages to this peer go to the request's own stream.
    #[must_use]
    pub fn peer(&self) -> Option<&Peer> {
        self.ext.get::<CallContext>().map(|context| &context.peer)
    }

    /// Returns the session that the message was received on.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.peer().map(Peer::session)
    }

    /// Moves the message to another session, such as a session of this request only.
    pub fn set_session(&mut self, session: Session) {
        if let Some(context) = self.ext.get_mut::<CallContext>() {
            context.peer.session = session;
        }
    }

    /// Returns the token that is cancelled when the caller no longer wants an answer.
    #[must_use]
    pub fn cancel_token(&self) -> Option<&CancelToken> {
        self.ext.get::<CallContext>().map(|context| &context.cancel)
    }
}
