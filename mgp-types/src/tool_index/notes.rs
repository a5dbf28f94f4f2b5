//! The notes of §16 in an answer's `_mgp`: the session of a stateless host, the results that were cut, and the tools
//! that wait for an approval.

use super::{CategoryIndex, CreationTerms};
use crate::{context::RiskLevel, permission::PermissionState};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};

/// MGP's notes on an answer. The `_mgp` member is left out if there are none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolIndexNotes {
    /// The session that a host of the stateless era names in its next request, in `_mgp.session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The tools that were found but are not in the answer, because of the context budget (§16.8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<CutResults>,
    /// The tools in the answer that lack some of their members, because of the context budget: examples, `_meta`, `outputSchema` or
    /// `annotations`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trimmed: Vec<String>,
    /// The tools that fit but are above the requested risk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above_risk: Option<AboveRisk>,
    /// The categories to search in (§16.4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<CategoryIndex>,
    /// The tools that would be loaded if they were approved (§3).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending_approvals: Vec<PendingApproval>,
    /// The tools that could also be chosen if the permissions that they need were approved (§3).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingTools>,
    /// Sentences for a model: the reason something is missing, and the remedy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// The instructions of the servers of the tools in the answer, by the servers' ids.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub instructions: BTreeMap<String, String>,
    /// The terms on which the kernel creates a tool from the agent's code, in an answer with the status `creating` (§16.6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation: Option<CreationTerms>,
}

impl ToolIndexNotes {
    /// Returns the notes, or `None` if they are empty.
    #[must_use]
    pub fn some(self) -> Option<Self> {
        (self != Self::default()).then_some(self)
    }
}

/// The tools that fit but are not in the answer, because they are above `risk_level_max`. Only tools that the caller
/// may see count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AboveRisk {
    /// The number of tools.
    pub tools: u64,
    /// The lowest risk that would show some of them.
    pub lowest_risk_level: RiskLevel,
    /// The same information in words, for a model.
    pub hint: String,
}

impl AboveRisk {
    /// Creates the note for a number of tools above the requested risk; `lowest` is the lowest risk among them.
    #[must_use]
    pub fn new(tools: u64, asked: RiskLevel, lowest: RiskLevel) -> Self {
        let (count, stand) =
            if tools == 1 { ("1 tool".to_owned(), "stands") } else { (format!("{tools} tools"), "stand") };
        let hint = format!(
            r#"{count} that would fit {stand} above the risk "{asked}"; search with "risk_level_max": "{lowest}" to see more"#
        );
        Self { tools, lowest_risk_level: lowest, hint }
    }
}

/// The tools that were found but are not in the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CutResults {
    /// The number of tools that were left out.
    pub left_out: u64,
    /// The room for the answer, in tokens.
    pub reserve: u64,
    /// The tools among them whose definitions exceed the room by themselves. They can still be called by their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub too_large: Vec<TooLarge>,
}

/// A tool whose definition by itself exceeds the available room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TooLarge {
    /// The name by which to call the tool.
    pub name: String,
    /// The size of the tool's definition, in tokens.
    pub tokens: u64,
}

/// A tool that would serve a capability if the permissions that it needs were approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PendingApproval {
    /// The capability, as it was requested.
    pub capability: String,
    /// The name by which to call the tool, once it is approved.
    pub name: String,
    /// The tool's server.
    pub server_id: String,
    /// The permissions that the tool needs and does not have.
    pub permissions: Vec<PendingPermission>,
}

/// The tools of one server that wait for the same permissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WaitingTools {
    /// The server.
    pub server_id: String,
    /// The number of the server's tools that wait.
    pub tools: u64,
    /// The permissions that all of these tools need and do not have.
    pub permissions: Vec<PendingPermission>,
}

/// The most permissions that the sentence about waiting tools names.
const MAX_NAMED: usize = 3;

/// Writes a sentence that names the permissions that the tools wait for, and the command that approves them.
impl fmt::Display for WaitingTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server_id, tools, permissions } = self;
        let (tool, wait) = if *tools == 1 { ("tool", "waits") } else { ("tools", "wait") };
        write!(f, "{tools} {tool} of `{server_id}` {wait} for ")?;
        if permissions.is_empty() {
            return f.write_str("an approval: see `mgp approve`");
        }
        f.write_str(if permissions.len() == 1 { "the permission " } else { "the permissions " })?;
        let named: Vec<&str> =
            permissions.iter().take(MAX_NAMED).map(|one| one.permission.as_str()).collect();
        f.write_str(&named.join(", "))?;
        if permissions.len() > MAX_NAMED {
            // This command covers all open questions of the server.
            return write!(f, " and {} more: `mgp approve {server_id}`", permissions.len() - MAX_NAMED);
        }
        let commands = permissions.iter().map(|one| format!("`mgp approve {}`", one.request_id));
        write!(f, ": {}", commands.collect::<Vec<_>>().join(", "))
    }
}

/// A permission that awaits a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PendingPermission {
    /// The permission.
    pub permission: String,
    /// The id of the open question about the permission.
    pub request_id: String,
    /// The state of the permission: undecided or expired.
    pub state: PermissionState,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_said_in_one_sentence_with_the_commands_that_approve_it() {
        let sentence = |tools, names: &[&str]| {
            let permission = |name: &&str| PendingPermission {
                permission: (*name).to_owned(),
                request_id: format!("perm-{name}"),
                state: PermissionState::Deferred,
            };
            let permissions = names.iter().map(permission).collect();
            WaitingTools { server_id: "files".into(), tools, permissions }.to_string()
        };
        assert_eq!(
            sentence(14, &["a"]),
            "14 tools of `files` wait for the permission a: `mgp approve perm-a`"
        );
        assert_eq!(
            sentence(1, &["a", "b"]),
            "1 tool of `files` waits for the permissions a, b: `mgp approve perm-a`, `mgp approve perm-b`"
        );
        assert_eq!(
            sentence(2, &["a", "b", "c", "d", "e"]),
            "2 tools of `files` wait for the permissions a, b, c and 2 more: `mgp approve files`"
        );
        assert_eq!(sentence(2, &[]), "2 tools of `files` wait for an approval: see `mgp approve`");
    }

    #[test]
    fn notes_that_say_nothing_are_left_out() {
        assert_eq!(ToolIndexNotes::default().some(), None);
        let notes = ToolIndexNotes { session: Some("s".into()), ..ToolIndexNotes::default() };
        assert_eq!(serde_json::to_string(&notes.some().unwrap()).unwrap(), r#"{"session":"s"}"#);
    }
}
