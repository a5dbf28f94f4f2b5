//! Outgoing messages, and the trait of the transports that take them.

use super::ConnectionError;
use crate::long_text::LongTexts;
use futures_core::future::BoxFuture;
use mgp_types::{
    json::RawJson,
    rpc::{
        ErrorObject, Method, RawParams, RawResult, RequestId, write_notification, write_request,
        write_response,
    },
};
use std::fmt;

/// The request that a message to the other side belongs to, if any. HTTP picks the stream of the message by its route; byte streams
/// ignore the route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// The message belongs to no request of the other side.
    Session,
    /// The message belongs to a request of the other side.
    Request(RequestId),
}

/// A message to the other side.
#[derive(Debug)]
pub struct Outgoing<'a> {
    /// The request that the message belongs to, if any.
    pub route: &'a Route,
    /// The message.
    pub body: Body<'a>,
    /// True if the message must be accepted even without room. These are cancellations and refusals, which are bounded elsewhere.
    pub urgent: bool,
}

/// The content of a message to the other side.
#[derive(Debug, Clone, Copy)]
pub enum Body<'a> {
    /// A request.
    Request {
        /// The id of the request, which its answer repeats.
        id: &'a RequestId,
        /// The method of the request.
        method: &'a Method,
        /// The params of the request.
        params: &'a RawParams,
    },
    /// A notification.
    Notification {
        /// The method of the notification.
        method: &'a Method,
        /// The params of the notification.
        params: &'a RawParams,
    },
    /// The answer to a request of the other side.
    Response {
        /// The id of the request; `None` for a message that could not be read.
        id: Option<&'a RequestId>,
        /// The answer.
        outcome: &'a Result<RawResult, ErrorObject>,
    },
    /// The end of a request of the other side that gets no answer. Nothing is written; a stream that waits for the answer ends.
    Silence {
        /// The id of the request.
        id: &'a RequestId,
    },
}

impl Outgoing<'_> {
    /// Returns the message as text.
    #[cfg(any(feature = "http-server", feature = "http-client"))]
    pub(crate) fn text(&self) -> bytes::Bytes {
        let mut text = Vec::with_capacity(256);
        self.body.write(&mut text);
        text.into()
    }
}

impl Body<'_> {
    /// Appends the message as one line without its line break. Returns `false` if there is nothing to write.
    pub fn write(&self, out: &mut Vec<u8>) -> bool {
        match self {
            Self::Request { id, method, params } => write_request(out, id, method, params),
            Self::Notification { method, params } => write_notification(out, method, params),
            Self::Response { id, outcome } => write_response(out, *id, outcome),
            Self::Silence { .. } => return false,
        }
        true
    }
}

/// The destination of messages to the other side. Each transport implements it.
pub trait Outbound: fmt::Debug + Send + Sync + 'static {
    /// Takes a message if there is room for it. Never waits.
    ///
    /// # Errors
    /// Returns [`SendError::Full`], unless the message is urgent, or [`SendError::Closed`].
    fn try_send(&self, message: &Outgoing<'_>) -> Result<(), SendError>;

    /// Waits until there may be room for the message again, or until there never will be.
    fn room(&self, message: &Outgoing<'_>) -> BoxFuture<'_, ()>;

    /// Waits until all messages that were taken are written, or cannot be written.
    fn flush(&self) -> BoxFuture<'_, ()>;

    /// Returns the number of notifications that the other side refused after they were sent. Only transports that learn the
    /// outcome of each message count them.
    fn refused_notices(&self) -> u64 {
        0
    }

    /// Returns the long strings of the calls on the connection. Only byte streams have long strings.
    fn long_texts(&self) -> Option<&LongTexts> {
        None
    }

    /// Closes the stream of a route, if the client can resume that stream. Returns whether a stream was closed.
    fn close_stream(&self, _route: &Route) -> bool {
        false
    }

    /// Refuses all messages from now on.
    fn close(&self, reason: &ConnectionError);
}

/// The reason that a message was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendError {
    /// There is no room for the message now.
    Full,
    /// The connection is closed: no more messages are accepted.
    Closed,
}

/// Sends the other side the cancellation of a call. There is always room for this notification.
pub(crate) fn send_cancelled(outbound: &dyn Outbound, route: &Route, id: i64, reason: &str) {
    let params = format!(r#"{{"requestId":{id},"reason":"{reason}"}}"#);
    let Ok(params) = RawJson::parse(params) else { return };
    let method = Method::known("notifications/cancelled");
    let body = Body::Notification { method: &method, params: &params.into() };
    // A connection that is gone has no calls left to cancel.
    let _ = outbound.try_send(&Outgoing { route, body, urgent: true });
}
