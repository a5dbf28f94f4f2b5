//! A question about a call, as it is stored.

use super::arguments::ArgumentsHash;
use crate::profile::DefinitionHash;
use jiff::Timestamp;
use mgp_types::{
    context::{RiskLevel, TraceId},
    json::RawJson,
};
use std::fmt;

/// The call that a question and its answer are for. With another agent, another tool, another definition of the tool or other arguments,
/// it is another call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConfirmationKey {
    /// The agent that calls.
    pub agent_id: String,
    /// The server.
    pub server_id: String,
    /// The tool, by its server's own name for it.
    pub tool_name: String,
    /// SHA-256 of the arguments, in hexadecimal digits.
    pub arguments_sha256: String,
    /// SHA-256 of the tool's definition, in hexadecimal digits.
    pub definition_sha256: String,
}

/// The state of a question whether a call may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConfirmationState {
    /// Nobody has answered.
    Open,
    /// One call may be made.
    ApprovedOnce,
    /// Every such call may be made, until the approval's end if it has one.
    Approved,
    /// No such call may be made.
    Denied,
    /// The row cannot be read, for example because it was edited by hand. It counts as a denial until it is taken back.
    Unreadable,
}

/// The calls that an approval holds for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalTerm {
    /// One call.
    Once,
    /// Every such call until a time.
    Until(Timestamp),
    /// Every such call, until the approval is taken back.
    Always,
}

/// A question whether a call may be made, with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfirmationRow {
    /// The id by which an operator answers the question.
    pub id: String,
    /// The call.
    pub key: ConfirmationKey,
    /// The call's arguments, whole.
    pub arguments: RawJson,
    /// The tool's risk, as the kernel judges it.
    pub risk: RiskLevel,
    /// The reason why somebody is asked.
    pub reason: String,
    /// True if every call of the tool is asked about, so that no approval holds for more than one call.
    pub every_time: bool,
    /// The trace of the call that asked first.
    pub trace_id: Option<String>,
    /// The state of the question.
    pub state: ConfirmationState,
    /// The time at which the question arose.
    pub asked_at: Timestamp,
    /// The time at which the question, or its answer, is forgotten. `None` if it is kept.
    pub expires_at: Option<Timestamp>,
    /// The name of the decider.
    pub decided_by: Option<String>,
    /// The time of the decision.
    pub decided_at: Option<Timestamp>,
}

impl ConfirmationKey {
    pub(super) fn new(
        (agent_id, server_id, tool_name): (&str, &str, &str),
        arguments: ArgumentsHash,
        definition: DefinitionHash,
    ) -> Self {
        Self {
            agent_id: agent_id.to_owned(),
            server_id: server_id.to_owned(),
            tool_name: tool_name.to_owned(),
            arguments_sha256: arguments.to_string(),
            definition_sha256: definition.to_string(),
        }
    }
}

impl ConfirmationState {
    /// Every state that stores keep.
    pub const ALL: [Self; 4] = [Self::Open, Self::ApprovedOnce, Self::Approved, Self::Denied];

    /// Returns the state's name, as it stands in stores and in the output of `mgp approve`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::ApprovedOnce => "approved_once",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Unreadable => "unreadable",
        }
    }
}

impl fmt::Display for ConfirmationState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for ApprovalTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Once => f.write_str("once"),
            Self::Until(end) => write!(f, "until {end:.3}"),
            Self::Always => f.write_str("always"),
        }
    }
}

impl ConfirmationRow {
    /// Creates the id of a question.
    pub(super) fn fresh_id() -> String {
        format!("conf-{}", uuid::Uuid::now_v7())
    }

    /// Returns the calls that the row's approval holds for, or `None` if the row is not an approval.
    #[must_use]
    pub fn term(&self) -> Option<ApprovalTerm> {
        match (self.state, self.expires_at) {
            (ConfirmationState::ApprovedOnce, _) => Some(ApprovalTerm::Once),
            (ConfirmationState::Approved, Some(end)) => Some(ApprovalTerm::Until(end)),
            (ConfirmationState::Approved, None) => Some(ApprovalTerm::Always),
            (ConfirmationState::Open | ConfirmationState::Denied | ConfirmationState::Unreadable, _) => None,
        }
    }

    /// Returns `true` if no such call may be made.
    pub(super) fn is_denial(&self) -> bool {
        matches!(self.state, ConfirmationState::Denied | ConfirmationState::Unreadable)
    }

    /// Returns whether the row is in force at a time.
    #[must_use]
    pub fn holds(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }

    /// Returns the same row. If it is an open question, it takes over the risk, the reason and `every_time` of the call that asks again.
    pub(super) fn asked_again(self, by: &Self) -> Self {
        if self.state != ConfirmationState::Open {
            return self;
        }
        Self { risk: by.risk, reason: by.reason.clone(), every_time: by.every_time, ..self }
    }

    /// Returns the same question with an approval. An approval of one call is forgotten at `forgotten`.
    pub(super) fn approved(self, term: ApprovalTerm, by: &str, forgotten: Timestamp) -> Self {
        let (state, expires_at) = match term {
            ApprovalTerm::Once => (ConfirmationState::ApprovedOnce, Some(forgotten)),
            ApprovalTerm::Until(end) => (ConfirmationState::Approved, Some(end)),
            ApprovalTerm::Always => (ConfirmationState::Approved, None),
        };
        Self { state, expires_at, ..self.answered(by) }
    }

    /// Returns the same question with a denial, which holds until it is taken back.
    pub(super) fn denied(self, by: &str) -> Self {
        Self { state: ConfirmationState::Denied, expires_at: None, ..self.answered(by) }
    }

    fn answered(self, by: &str) -> Self {
        Self { decided_by: Some(by.to_owned()), decided_at: Some(Timestamp::now()), ..self }
    }

    /// Returns the trace of the first call, if it is a valid one.
    pub(super) fn trace(&self) -> Option<TraceId> {
        self.trace_id.as_deref().and_then(TraceId::new)
    }
}
