//! The refusal of a call.

use crate::seam::{CallRecord, RefusalKind, Reply};
use mgp_types::{json::RawJson, rpc::ErrorObject};

/// The refusal of a call by a gate.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The kind of gate that refuses the call.
    pub kind: RefusalKind,
    /// The reason for the call's record, in one sentence.
    pub reason: String,
    /// The answer for the caller.
    pub answer: Reply,
}

impl Refusal {
    /// Creates a refusal that answers with an error, whose message is the reason.
    #[must_use]
    pub fn new(kind: RefusalKind, error: ErrorObject) -> Self {
        Self { kind, reason: error.message.clone(), answer: Reply::error(error) }
    }

    /// Creates the refusal of a call that its caller cancelled while it waited.
    pub fn cancelled(kind: RefusalKind, reason: impl Into<String>) -> Self {
        Self { kind, reason: reason.into(), answer: Reply::cancelled(RawJson::empty_object()) }
    }

    /// Notes the refusal in the record of its call, and returns the answer.
    #[must_use]
    pub fn recorded(self, record: &CallRecord) -> Reply {
        record.refuse(self.kind, self.reason);
        self.answer
    }
}
