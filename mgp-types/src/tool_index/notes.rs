//! The notes of §16 in an answer's `_mgp`: the session of a stateless host, the results that were cut, and the tools
//! that wait for an approval.

use super::{CategoryIndex, CreationTerms};
use crate::{
    context::RiskLevel,
    permission::{PendingPermission, WaitingTools},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_notes_are_left_out() {
        assert_eq!(ToolIndexNotes::default().some(), None);
        let notes = ToolIndexNotes { session: Some("s".into()), ..ToolIndexNotes::default() };
        assert_eq!(serde_json::to_string(&notes.some().unwrap()).unwrap(), r#"{"session":"s"}"#);
    }
}
