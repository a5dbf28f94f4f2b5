//! The record that the layers of a pipeline keep of one call.

use super::{Incoming, ToolCall};
use mgp_types::{
    context::{Principal, RiskLevel, ToolId, TraceId},
    intent::Intent,
    json::RawJson,
    permission::Permission,
    proposals::ConfirmationWish,
    tool_check::{CallQuestion, QuestionKind, ToolQuota},
};
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::time::Instant;

/// The record of one call: inner layers write it; audit, outside them, reads it.
///
/// Clones are the same record.
#[derive(Debug, Clone, Default)]
pub struct CallRecord(Arc<Mutex<Record>>);

/// The content of a [`CallRecord`].
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Record {
    /// The caller.
    pub principal: Option<Principal>,
    /// The id that ties the call together with others.
    pub trace: Option<TraceId>,
    /// The refusal of the call, if it was refused before it reached a server.
    pub refusal: Option<RefusalNote>,
    /// The caller's own word on what the call is for.
    pub intent: Option<Intent>,
    /// The risk level that the kernel assigns to the tool.
    pub risk: Option<RiskLevel>,
    /// The name of the validator that looked at the arguments.
    pub validator: Option<String>,
    /// The number of times that the call was sent to a server; 0 means that it reached none.
    pub attempts: u32,
    /// The number of these attempts of which it is known that the server ran nothing: it was not reached, refused the request at its door, or
    /// wanted the call to be confirmed first.
    pub ran_nothing: u32,
    /// The number of attempts that did not reach the server.
    pub unreached: u32,
    /// True if the server answered the last attempt, with a result or an error, or if the reply is an answer of the server that was kept;
    /// `None` if that is not known, or if nothing was sent.
    pub answered: Option<bool>,
    /// True if the last attempt failed with an error that says that another one does no harm, and the kernel gave up.
    pub given_up: bool,
    /// True once the caller has seen a part of the call, such as a chunk of its result, its progress or a question: it is not sent again.
    pub begun: bool,
    /// The permissions that were granted to this call alone.
    pub granted_once: Vec<Permission>,
    /// The tool and the hash of the arguments that somebody confirmed.
    pub confirmed: Option<(ToolId, [u8; 32])>,
    /// The wish that the call be confirmed, with which its server answered the last attempt in place of making the call.
    pub wish: Option<ConfirmationWish>,
    /// The questions that the call would lead to, in a dry run.
    pub questions: Vec<CallQuestion>,
    /// The rest of the quota that leaves the caller the least, as it was before the call; `None` if no quota is about the call.
    pub quota: Option<ToolQuota>,
    /// The moment since which the call waits at gates; `None` if no gate has asked anybody. The time limit of all waits begins here.
    pub waits_since: Option<Instant>,
    /// The number of notices of its wait that the host was sent.
    pub notices: u32,
    /// Further details for audit, by name.
    pub details: Vec<(&'static str, RawJson)>,
}

/// The note of a refusal in a call's record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusalNote {
    /// The gate that refused the call.
    pub kind: RefusalKind,
    /// The reason, in one sentence.
    pub reason: String,
}

/// The kind of gate that refused a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusalKind {
    /// §5: the agent may not call the tool.
    Access,
    /// §3: a permission that the tool needs is not approved.
    Permission,
    /// §4.4: the operator or the host did not confirm.
    Confirmation,
    /// §4.5: a validator refused the arguments.
    Validation,
    /// §7: the code was refused.
    CodeSafety,
    /// The caller is not authenticated.
    Identity,
    /// Too many calls.
    RateLimit,
    /// §11: the server is not in a state to be called.
    Lifecycle,
    /// There is no such tool.
    NotFound,
    /// A gate of the program that runs the kernel refused, or the operator switched the tool off.
    Policy,
    /// §6: the event before the call could not be stored.
    Audit,
    /// The call's idempotency key cannot be kept, or belongs to a call with other arguments or an unknown outcome.
    Idempotency,
    /// The call is a step of a transaction that does not take it.
    Transaction,
}

impl RefusalKind {
    /// Returns the name of the gate, for metrics and spans.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Access => "access",
            Self::Permission => "permission",
            Self::Confirmation => "confirmation",
            Self::Validation => "validation",
            Self::CodeSafety => "code_safety",
            Self::Identity => "identity",
            Self::RateLimit => "rate_limit",
            Self::Lifecycle => "lifecycle",
            Self::NotFound => "not_found",
            Self::Policy => "policy",
            Self::Audit => "audit",
            Self::Idempotency => "idempotency",
            Self::Transaction => "transaction",
        }
    }
}

impl Record {
    /// Returns whether no server ran anything for the call: it was sent to none, or each attempt is one that [ran nothing](Self::ran_nothing).
    #[must_use]
    pub const fn has_run_nothing(&self) -> bool {
        self.attempts <= self.ran_nothing
    }

    /// Returns whether no server got the call: it was sent to none, or none was reached.
    #[must_use]
    pub const fn has_reached_nothing(&self) -> bool {
        self.attempts <= self.unreached
    }
}

impl CallRecord {
    /// Creates an empty record.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the record of the call that a message makes, if an outer layer keeps one.
    #[must_use]
    pub fn of(message: &Incoming) -> Option<&Self> {
        ToolCall::of(message).map(|call| &call.record).or_else(|| message.ext.get())
    }

    /// Writes to the record.
    pub fn update<R>(&self, write: impl FnOnce(&mut Record) -> R) -> R {
        write(&mut self.0.lock())
    }

    /// Records a refusal. The first one is kept: its gate stopped the call.
    pub fn refuse(&self, kind: RefusalKind, reason: impl Into<String>) {
        self.update(|record| {
            record.refusal.get_or_insert_with(|| RefusalNote { kind, reason: reason.into() });
        });
    }

    /// Notes a question that the call would lead to, in a [dry run](ToolCall::dry_run).
    pub fn would_ask(&self, question: CallQuestion) {
        self.update(|record| record.questions.push(question));
    }

    /// Returns whether a question of a kind is noted.
    #[must_use]
    pub fn is_question(&self, kind: QuestionKind) -> bool {
        self.update(|record| record.questions.iter().any(|question| question.kind == kind))
    }

    /// Returns a copy of the current content.
    #[must_use]
    pub fn read(&self) -> Record {
        self.0.lock().clone()
    }
}
