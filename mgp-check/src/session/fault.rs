//! Faults of single messages, which belong to no one request.

use crate::outcome::quoted;

/// The rule that a message breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// It is no JSON object.
    NoMessage,
    /// `jsonrpc` is not `"2.0"`.
    Version,
    /// It has both or neither of `result` and `error`.
    Members,
    /// It has another id than its request.
    Id,
    /// Its request was answered before.
    Twice,
    /// It answers no request.
    Unasked,
    /// Its error lacks the code or the message.
    ErrorForm,
    /// It is a request that the client did not declare.
    Asked,
}

/// A fault, and the message that has it.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    /// The message, and what was expected.
    pub(crate) told: String,
}

impl Fault {
    pub(crate) fn new(kind: FaultKind, came: &str, expected: &str) -> Self {
        Self { kind, told: format!("came {}; expected {expected}", quoted(came)) }
    }
}
