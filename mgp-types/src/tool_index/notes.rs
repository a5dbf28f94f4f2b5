//! What the answers of §16 say in `_mgp`: the session of a stateless host, what was cut, and what waits for an approval.

use super::CategoryIndex;
use crate::{context::RiskLevel, permission::PermissionState};
use serde::{Deserialize, Serialize};

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
    /// How many.
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
    fn notes_that_say_nothing_are_left_out() {
        assert_eq!(ToolIndexNotes::default().some(), None);
        let notes = ToolIndexNotes { session: Some("s".into()), ..ToolIndexNotes::default() };
        assert_eq!(serde_json::to_string(&notes.some().unwrap()).unwrap(), r#"{"session":"s"}"#);
    }
}
