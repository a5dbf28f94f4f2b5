//! The events of a call that awaits its reply.

use super::CallError;
use mgp_types::rpc::{Method, RawParams, RawResult};

/// A notification of the other side.
#[derive(Debug, Clone, PartialEq)]
pub struct Notification {
    /// The method of the notification.
    pub method: Method,
    /// The params, as text.
    pub params: RawParams,
}

/// An event of a call: its notifications in order, and then its reply.
#[derive(Debug)]
pub enum CallEvent {
    /// A notification that names this call: progress, a chunk, a callback.
    Notification(Notification),
    /// The end of the call.
    Reply(Result<RawResult, CallError>),
}
