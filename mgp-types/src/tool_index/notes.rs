//! What the answers of §16 say in `_mgp`: the session of a stateless host, what was cut, and what waits for an approval.

use super::CategoryIndex;
use crate::{context::RiskLevel, permission::PermissionState};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};

/// What an answer says beside itself. The member is left out where there is nothing to say.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolIndexNotes {
    /// The session that a host of the stateless era names in its next request, in `_mgp.session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What was found and is not in the answer, because of the context budget (§16.8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<CutResults>,
    /// What fits and stands above the risk that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above_risk: Option<AboveRisk>,
    /// What there is to look under (§16.4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<CategoryIndex>,
    /// What would be loaded if somebody approved it (§3).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending_approvals: Vec<PendingApproval>,
    /// Tools that would be among those to choose from if somebody approved what they need (§3).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingTools>,
    /// Sentences for a model: why something is missing, and what to do about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// What the servers of the tools in the answer say of how they are used, by their ids.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub instructions: BTreeMap<String, String>,
}

impl ToolIndexNotes {
    /// The member, where there is something to say.
    #[must_use]
    pub fn some(self) -> Option<Self> {
        (self != Self::default()).then_some(self)
    }
}

/// Tools that fit and are not in the answer, because they stand above `risk_level_max`. Only those that the caller may see count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AboveRisk {
    /// The number of tools.
    pub tools: u64,
    /// The lowest risk that would show some of them.
    pub lowest_risk_level: RiskLevel,
    /// The same in words, for a model.
    pub hint: String,
}

impl AboveRisk {
    /// Says how many tools stand above a risk, and where the lowest does.
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

/// What was found and is not in the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutResults {
    /// How many tools were left out.
    pub left_out: u64,
    /// How many tokens there was room for.
    pub reserve: u64,
    /// Those of them that no room is large enough for. They can be called by their names all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub too_large: Vec<TooLarge>,
}

/// A tool whose definition alone takes more than the room that there is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TooLarge {
    /// The name to call it by.
    pub name: String,
    /// What its definition takes, in tokens.
    pub tokens: u64,
}

/// A tool that would serve a capability if somebody approved what it needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingApproval {
    /// The capability, as it was asked for.
    pub capability: String,
    /// The name to call the tool by, once it is approved.
    pub name: String,
    /// Its server.
    pub server_id: String,
    /// What it needs and does not have.
    pub permissions: Vec<PendingPermission>,
}

/// The tools of one server that wait for the same permissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingTools {
    /// The server.
    pub server_id: String,
    /// The number of its tools that wait.
    pub tools: u64,
    /// The permissions that all of them need and do not have.
    pub permissions: Vec<PendingPermission>,
}

/// The most permissions that the sentence about waiting tools names.
const MAX_NAMED: usize = 3;

/// The sentence that says what they wait for, with the command that approves it.
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
            // All open questions of the server.
            return write!(f, " and {} more: `mgp approve {server_id}`", permissions.len() - MAX_NAMED);
        }
        let commands = permissions.iter().map(|one| format!("`mgp approve {}`", one.request_id));
        write!(f, ": {}", commands.collect::<Vec<_>>().join(", "))
    }
}

/// A permission that somebody has to decide on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingPermission {
    /// The permission.
    pub permission: String,
    /// The question that is open for it.
    pub request_id: String,
    /// Where it stands: nobody has decided, or what was decided has run out.
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
