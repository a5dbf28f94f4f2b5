//! Where messages to the other side go.

use super::ConnectionError;
use futures_core::future::BoxFuture;
use mgp_types::rpc::{
    ErrorObject, Method, RawParams, RawResult, RequestId, write_notification, write_request, write_response,
};
use std::fmt;

/// What a message to the other side belongs to. Byte streams do not care; HTTP picks the stream by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// To no request of the other side.
    Session,
    /// To a request of the other side.
    Request(RequestId),
}

/// A message to the other side.
#[derive(Debug)]
pub struct Outgoing<'a> {
    /// What it belongs to.
    pub route: &'a Route,
    /// The message.
    pub body: Body<'a>,
    /// Whether it must be taken even where there is no room: cancellations and refusals, which are bounded elsewhere.
    pub urgent: bool,
}

/// The content of a message to the other side.
#[derive(Debug, Clone, Copy)]
pub enum Body<'a> {
    /// A request.
    Request {
        /// The id under which it is answered.
        id: &'a RequestId,
        /// What is asked for.
        method: &'a Method,
        /// With what.
        params: &'a RawParams,
    },
    /// A notification.
    Notification {
        /// What is said.
        method: &'a Method,
        /// With what.
        params: &'a RawParams,
    },
    /// The answer to a request of the other side.
    Response {
        /// The request; `None` for a message that could not be read.
        id: Option<&'a RequestId>,
        /// The answer.
        outcome: &'a Result<RawResult, ErrorObject>,
    },
    /// A request of the other side ended and gets no answer. Nothing is written; a stream that waits for it ends.
    Silence {
        /// The request.
        id: &'a RequestId,
    },
}

impl Body<'_> {
    /// Appends the message as one line without its line break. Returns whether there was anything to write.
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

/// Where messages to the other side go: one implementation a transport.
pub trait Outbound: fmt::Debug + Send + Sync + 'static {
    /// Takes a message where there is room for it. Never waits.
    ///
    /// # Errors
    /// [`SendError::Full`], unless the message is urgent, and [`SendError::Closed`].
    fn try_send(&self, message: &Outgoing<'_>) -> Result<(), SendError>;

    /// Ends when there may be room for the message again, or never will be.
    fn room(&self, message: &Outgoing<'_>) -> BoxFuture<'_, ()>;

    /// Ends when everything that was taken is written, or cannot be.
    fn flush(&self) -> BoxFuture<'_, ()>;

    /// Closes the stream that a route names where its client comes back to it. Returns whether there was one.
    fn close_stream(&self, _route: &Route) -> bool {
        false
    }

    /// Takes nothing more.
    fn close(&self, reason: &ConnectionError);
}

/// Why a message was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendError {
    /// There is no room now.
    Full,
    /// There never will be.
    Closed,
}
