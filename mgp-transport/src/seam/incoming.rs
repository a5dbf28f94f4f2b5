//! A message that the other side wants handled.

use super::{CallContext, CancelToken, Peer, Session};
use http::Extensions;
use mgp_types::rpc::{Method, RawParams, RequestId};

/// A request (with an id) or a notification (without). There is no second type.
#[derive(Debug, Clone)]
pub struct Incoming {
    /// The id as the other side sent it; none for a notification.
    pub id: Option<RequestId>,
    /// What is asked for or said.
    pub method: Method,
    /// With what, as text.
    pub params: RawParams,
    /// Typed context: who, on what session, on which tool. Never on the wire.
    pub ext: Extensions,
}

impl Incoming {
    /// A request without context.
    pub fn request(
        id: impl Into<RequestId>,
        method: impl Into<Method>,
        params: impl Into<RawParams>,
    ) -> Self {
        Self { id: Some(id.into()), method: method.into(), params: params.into(), ext: Extensions::new() }
    }

    /// A notification without context.
    pub fn notification(method: impl Into<Method>, params: impl Into<RawParams>) -> Self {
        Self { id: None, method: method.into(), params: params.into(), ext: Extensions::new() }
    }

    /// Whether nothing must be answered.
    #[must_use]
    pub fn is_notification(&self) -> bool {
        self.id.is_none()
    }

    /// The side that sent it. Over HTTP, what is sent to it goes to this request's own stream.
    #[must_use]
    pub fn peer(&self) -> Option<&Peer> {
        self.ext.get::<CallContext>().map(|context| &context.peer)
    }

    /// The session that it came on.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.peer().map(Peer::session)
    }

    /// Makes the message one of another session, such as one that holds for this request alone.
    pub fn set_session(&mut self, session: Session) {
        if let Some(context) = self.ext.get_mut::<CallContext>() {
            context.peer.session = session;
        }
    }

    /// What says that the caller no longer wants an answer.
    #[must_use]
    pub fn cancel_token(&self) -> Option<&CancelToken> {
        self.ext.get::<CallContext>().map(|context| &context.cancel)
    }
}
