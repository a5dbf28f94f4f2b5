//! The record that the layers of a pipeline keep of one call.

use mgp_types::{
    context::{Principal, RiskLevel, ToolId, TraceId},
    intent::Intent,
    json::RawJson,
    permission::Permission,
    proposals::WantedConfirmation,
    tool_check::{CallQuestion, QuestionKind, ToolQuota},
};
use parking_lot::Mutex;
use std::{any::Any, sync::Arc};
use tokio::time::Instant;

/// The record of one call: inner layers write it; audit, an outer layer, reads it.
///
/// Clones share the record.
#[derive(Debug, Clone, Default)]
pub struct CallRecord(Arc<Mutex<Record>>);

/// The content of a [`CallRecord`].
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Record {
    /// The caller.
    pub principal: Option<Principal>,
    /// The id that links the call with others.
    pub trace: Option<TraceId>,
    /// The refusal of the call, if it was refused before it reached a server.
    pub refusal: Option<RefusalNote>,
    /// The caller's statement of the purpose of the call.
    pub intent: Option<Intent>,
    /// The risk level that the kernel assigns to the tool.
    pub risk: Option<RiskLevel>,
    /// The name of the validator that checked the arguments.
    pub validator: Option<String>,
    /// The number of times that the call was sent to a server; 0 means that no server was reached.
    pub attempts: u32,
    /// The number of attempts in which the server certainly ran nothing. It was not reached, refused the request up front, or
    /// requested a confirmation first.
    pub ran_nothing: u32,
    /// The number of attempts that did not reach the server.
    pub unreached: u32,
    /// True if the server answered the last attempt, with a result or an error, or if the reply is a stored answer of the server.
    /// `None` if that is unknown, or if nothing was sent.
    pub answered: Option<bool>,
    /// True if the last attempt failed with an error after which a retry does no harm, and the kernel gave up.
    pub given_up: bool,
    /// True once the caller has received a part of the call, such as a chunk of its result, its progress or a question. The call
    /// is then not sent again.
    pub begun: bool,
    /// The permissions that were granted only to this call.
    pub granted_once: Vec<Permission>,
    /// The tool and the hash of the arguments that were confirmed.
    pub confirmed: Option<(ToolId, [u8; 32])>,
    /// The confirmation that the server requested in the last attempt, instead of making the call.
    pub wanted: Option<WantedConfirmation>,
    /// The questions that a real call would lead to, in a dry run.
    pub questions: Vec<CallQuestion>,
    /// The remaining quota before the call, of the quota that leaves the caller the least; `None` if no quota applies.
    pub quota: Option<ToolQuota>,
    /// The time since which the call waits at gates; `None` if no gate has waited. The time limit of all waits begins here.
    pub waits_since: Option<Instant>,
    /// The number of notices about the wait that were sent to the host.
    pub notices: u32,
    /// The route of the tool that answered instead of the called one.
    pub substitute: Option<Arc<dyn Any + Send + Sync>>,
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
    /// A gate of the embedding program refused, or the operator disabled the tool.
    Policy,
    /// §6: the event before the call could not be stored.
    Audit,
    /// The call's idempotency key cannot be kept, or belongs to a call with other arguments or an unknown outcome.
    Idempotency,
    /// The call is a step of a transaction that does not accept it.
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
    /// Returns whether no server ran anything for the call. It was not sent, or [nothing ran](Self::ran_nothing) in any attempt.
    #[must_use]
    pub const fn has_run_nothing(&self) -> bool {
        self.attempts <= self.ran_nothing
    }

    /// Returns whether no server received the call: it was not sent, or no server was reached.
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

    /// Records a question that the call would lead to, in a [dry run](super::ToolCall::dry_run).
    pub fn would_ask(&self, question: CallQuestion) {
        self.update(|record| record.questions.push(question));
    }

    /// Returns whether a question of a kind is recorded.
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
