//! Faults of single messages, which belong to no particular request.

use crate::outcome::quoted;

/// The rule that a message breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// The message is not a JSON object.
    NoMessage,
    /// `jsonrpc` is not `"2.0"`.
    Version,
    /// The message has both or neither of `result` and `error`.
    Members,
    /// The message has another id than its request.
    Id,
    /// Its request was answered before.
    Twice,
    /// The message answers no request.
    Unasked,
    /// Its error lacks the code or the message.
    ErrorForm,
    /// The message is a request that the client did not declare.
    Asked,
}

/// A fault, and the faulty message.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    /// The message, and the expectation.
    pub(crate) told: String,
}

impl Fault {
    pub(crate) fn new(kind: FaultKind, came: &str, expected: &str) -> Self {
        Self { kind, told: format!("got {}; expected {expected}", quoted(came)) }
    }
}
