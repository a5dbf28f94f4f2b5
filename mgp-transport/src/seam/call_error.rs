//! The reasons why a call has no result.

use crate::outbound::ConnectionError;
use mgp_types::{
    error::Recovery,
    json::JsonError,
    rpc::{ErrorObject, Method},
};
use std::{fmt, time::Duration};

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
