//! A request or notification of the other side.

use super::{CallContext, CancelToken, Extensions, Peer, RelatedRequest, RestRequest, Session, TokenGrant};
use mgp_types::{
    context::{Principal, ToolId, TraceId},
    rpc::{Method, RawParams, RequestId},
};

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

/// The mark of a message that waited.
#[derive(Debug, Clone, Copy)]
struct WaitMark;

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

    /// Sets the sender of a message that no connection received.
    pub fn set_context(&mut self, context: CallContext) {
        self.ext.insert(context);
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

    /// Returns the rights of the request's credentials; `None` if it has none.
    #[must_use]
    pub fn granted(&self) -> Option<&TokenGrant> {
        self.ext.get()
    }

    /// Returns the name of the request's API key; `None` if it has no key, or if the key has no name.
    #[must_use]
    pub fn key_name(&self) -> Option<&str> {
        self.granted()?.who().key.as_deref()
    }

    /// Returns the id that links the message with others, if an outer layer has set one.
    #[must_use]
    pub fn trace(&self) -> Option<&TraceId> {
        self.ext.get()
    }

    /// Sets the id that links the message with others.
    pub fn set_trace(&mut self, trace: TraceId) {
        self.ext.insert(trace);
    }

    /// Sets the caller of a message that no connection received.
    pub fn set_principal(&mut self, principal: Principal) {
        self.ext.insert(principal);
    }

    /// Returns the tool that a message other than a call is about, if an outer layer has set one.
    #[must_use]
    pub fn tool(&self) -> Option<&ToolId> {
        self.ext.get()
    }

    /// Sets the tool that a message other than a call is about.
    pub fn set_tool(&mut self, tool: ToolId) {
        self.ext.insert(tool);
    }

    /// Returns whether the request was received over REST.
    #[must_use]
    pub fn is_rest(&self) -> bool {
        self.ext.get::<RestRequest>().is_some()
    }

    /// Returns the id of the request on whose stream the message arrived; `None` if the transport has no stream for each request.
    #[must_use]
    pub fn related_request(&self) -> Option<i64> {
        self.ext.get::<RelatedRequest>().map(|RelatedRequest(id)| *id)
    }

    /// Marks a message that waited behind the gates. Rights may have changed in the meantime. A call that waited at a gate has its
    /// [own mark](super::ToolCall::waited).
    pub fn set_waited(&mut self) {
        self.ext.insert(WaitMark);
    }

    /// Returns whether the message waited behind the gates.
    #[must_use]
    pub fn has_waited(&self) -> bool {
        self.ext.get::<WaitMark>().is_some()
    }
}
