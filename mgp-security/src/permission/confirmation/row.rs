//! A question about a call, as it is stored.

use super::{ArgumentsPattern, arguments::ArgumentsHash};
use crate::{permission::ApprovalTerm, profile::DefinitionHash};
use jiff::Timestamp;
use mgp_types::{
    context::{RiskLevel, TraceId},
    json::RawJson,
};
use std::fmt;

/// The call that a question and its answer are about. A call by another agent, or with another tool, definition or arguments, is
/// another call.
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
    /// The row cannot be read, for example because it was edited by hand. It counts as a denial until it is revoked.
    Unreadable,
}

/// A question whether a call may be made, with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfirmationRow {
    /// The id by which an operator answers the question.
    pub id: String,
    /// The call.
    pub key: ConfirmationKey,
    /// The call's full arguments.
    pub arguments: RawJson,
    /// The tool's risk, as the kernel judges it.
    pub risk: RiskLevel,
    /// The reason for asking.
    pub reason: String,
    /// The purpose that the first caller stated for the call.
    pub intent: Option<String>,
    /// The sentences about the estimate of the latest call, one a line. `None` if nothing is known.
    pub estimate: Option<String>,
    /// True if every call of the tool is asked about, so that no approval holds for more than one call.
    pub every_time: bool,
    /// The trace of the call that asked first.
    pub trace_id: Option<String>,
    /// The session of the latest call. `None` if it has none, as in the stateless revisions of MCP.
    pub session: Option<String>,
    /// True if the approval holds only in that session.
    pub session_only: bool,
    /// The pattern of other calls that the approval holds for, if any.
    pub pattern: Option<ArgumentsPattern>,
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
    /// Returns whether another call has the same agent, tool and definition.
    pub(super) fn is_of_same_tool(&self, other: &Self) -> bool {
        self.agent_id == other.agent_id
            && self.server_id == other.server_id
            && self.tool_name == other.tool_name
            && self.definition_sha256 == other.definition_sha256
    }

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

    /// Returns the state's name in stores and in the output of `mgp approve`.
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
            (ConfirmationState::Approved, _) if self.session_only => Some(ApprovalTerm::Session),
            (ConfirmationState::Approved, Some(end)) => Some(ApprovalTerm::Until(end)),
            (ConfirmationState::Approved, None) => Some(ApprovalTerm::Always),
            (ConfirmationState::Open | ConfirmationState::Denied | ConfirmationState::Unreadable, _) => None,
        }
    }

    /// Returns whether both rows are about calls of the same agent, session, tool and definition, so that one answer may decide both. A
    /// call without a session has no similar one.
    #[must_use]
    pub fn is_alike(&self, other: &Self) -> bool {
        self.key.is_of_same_tool(&other.key) && self.session.is_some() && self.session == other.session
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

    /// Returns the same row. An open question takes over the risk, the reason, the estimate, `every_time` and the session of the call
    /// that asks again.
    pub(super) fn asked_again(self, by: &Self) -> Self {
        if self.state != ConfirmationState::Open {
            return self;
        }
        let (reason, estimate, session) = (by.reason.clone(), by.estimate.clone(), by.session.clone());
        Self { risk: by.risk, reason, estimate, every_time: by.every_time, session, ..self }
    }

    /// Returns the same question with an approval. An approval of one call, or for a session, is forgotten at `forgotten`.
    /// If the call has no session, an approval for its session becomes an approval of one call.
    pub(super) fn approved(self, term: ApprovalTerm, by: &str, forgotten: Timestamp) -> Self {
        let session_only = term == ApprovalTerm::Session && self.session.is_some();
        let (state, expires_at) = match term {
            ApprovalTerm::Session if session_only => (ConfirmationState::Approved, Some(forgotten)),
            ApprovalTerm::Session | ApprovalTerm::Once => (ConfirmationState::ApprovedOnce, Some(forgotten)),
            ApprovalTerm::Until(end) => (ConfirmationState::Approved, Some(end)),
            ApprovalTerm::Always => (ConfirmationState::Approved, None),
        };
        Self { state, expires_at, session_only, ..self.answered(by) }
    }

    /// Returns whether the row is about a call with this key. A pattern covers only calls with the reason of the approved call: other
    /// doubts of a validator are asked about.
    pub(super) fn covers(&self, key: &ConfirmationKey, arguments: &RawJson, reason: &str) -> bool {
        self.key == *key
            || (self.key.is_of_same_tool(key)
                && unquoted(&self.reason) == unquoted(reason)
                && self.pattern.as_ref().is_some_and(|pattern| pattern.matches(&self.arguments, arguments)))
    }

    /// Returns the only session in which the row holds, if it is limited to one.
    pub(super) fn bound_to(&self) -> Option<&str> {
        self.session.as_deref().filter(|_| self.session_only)
    }

    /// Returns the row's rank among the rows about one call: the first decides.
    pub(super) fn precedence(&self) -> u8 {
        match self.state {
            ConfirmationState::Denied | ConfirmationState::Unreadable => 0,
            ConfirmationState::Approved => 1,
            ConfirmationState::ApprovedOnce => 2,
            ConfirmationState::Open => 3,
        }
    }

    /// Returns the same question with a denial, which holds until it is revoked.
    pub(super) fn denied(self, by: &str) -> Self {
        let state = ConfirmationState::Denied;
        Self { state, expires_at: None, session_only: false, pattern: None, ..self.answered(by) }
    }

    fn answered(self, by: &str) -> Self {
        Self { decided_by: Some(by.to_owned()), decided_at: Some(Timestamp::now()), ..self }
    }

    /// Returns the trace of the first call, if it is a valid one.
    pub(super) fn trace(&self) -> Option<TraceId> {
        self.trace_id.as_deref().and_then(TraceId::new)
    }
}

/// Returns a reason without quoted texts, which are specific to one call.
fn unquoted(reason: &str) -> String {
    let (mut inside, mut escaped) = (false, false);
    let mut keep = |c: char| {
        let quote = c == '"' && !escaped;
        escaped = inside && c == '\\' && !escaped;
        inside ^= quote;
        !inside && !quote
    };
    reason.chars().filter(|c| keep(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::unquoted;

    #[test]
    fn quoted_text_is_not_part_of_a_reason() {
        assert_eq!(
            unquoted(r#"it is unknown in /a: "x \"; y\\"; it writes: "z""#),
            "it is unknown in /a: ; it writes: "
        );
    }
}
