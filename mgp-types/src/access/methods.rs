//! §5.4 `mgp/access/*`. The kernel answers them, to principals with the admin role.

use super::{AccessDecision, AccessEntry, AccessSource, EntryType};
use crate::{error::ErrorCode, json::Nullable, rpc::ErrorObject};
use serde::{Deserialize, Serialize};

calls! {
    /// Asks whether an agent may use a tool, and why.
    call QueryAccess = "mgp/access/query": AccessQueryParams => AccessQueryResult;
    /// Makes a rule, or replaces it.
    call GrantAccess = "mgp/access/grant": AccessGrantParams => AccessChange;
    /// Removes a rule.
    call RevokeAccess = "mgp/access/revoke": AccessRevokeParams => AccessChange;
}

/// Which agent, server and tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessQueryParams {
    /// The agent.
    pub agent_id: String,
    /// The server.
    pub server_id: String,
    /// The tool; absent for the server as a whole.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub tool_name: Nullable<String>,
}

/// Whether it may, and which rule says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessQueryResult {
    /// Whether it may.
    pub permission: AccessDecision,
    /// Which rule decided.
    pub source: AccessSource,
    /// Who made the rule.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub granted_by: Nullable<String>,
    /// When it was made (RFC 3339).
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub granted_at: Nullable<String>,
    /// When it runs out (RFC 3339); `null` is never.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub expires_at: Nullable<String>,
}

/// The rule to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessGrantParams {
    /// How far it reaches.
    pub entry_type: EntryType,
    /// Whose it is.
    pub agent_id: String,
    /// The server.
    pub server_id: String,
    /// The tool; a tool grant needs it.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub tool_name: Nullable<String>,
    /// What it says.
    pub permission: AccessDecision,
    /// Who asks, in the sender's words. Not used: the authenticated caller is written down.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub granted_by: Nullable<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub justification: Nullable<String>,
    /// When it runs out (RFC 3339); `null` is never.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub expires_at: Nullable<String>,
}

/// The rule to remove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessRevokeParams {
    /// Whose it is.
    pub agent_id: String,
    /// The server.
    pub server_id: String,
    /// How far it reaches.
    pub entry_type: EntryType,
    /// The tool; a tool grant needs it.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub tool_name: Nullable<String>,
}

impl AccessGrantParams {
    /// The tool that the rule is for: one for a tool grant, none for a server grant.
    ///
    /// # Errors
    /// 4000 where a tool grant names no tool.
    pub fn tool(&self) -> Result<Option<&str>, ErrorObject> {
        tool(self.entry_type, &self.tool_name)
    }
}

impl AccessRevokeParams {
    /// The tool that the rule is for: one for a tool grant, none for a server grant.
    ///
    /// # Errors
    /// 4000 where a tool grant names no tool.
    pub fn tool(&self) -> Result<Option<&str>, ErrorObject> {
        tool(self.entry_type, &self.tool_name)
    }
}

fn tool(entry_type: EntryType, tool_name: &Nullable<String>) -> Result<Option<&str>, ErrorObject> {
    match (entry_type, tool_name.get().filter(|name| !name.is_empty())) {
        (EntryType::ServerGrant, _) => Ok(None),
        (EntryType::ToolGrant, Some(name)) => Ok(Some(name)),
        (EntryType::ToolGrant, None) => {
            Err(ErrorCode::InvalidToolArgs.error("missing tool_name: a tool_grant needs the tool's name"))
        }
    }
}

spelled! {
    /// What became of a rule.
    pub enum AccessChangeStatus as "access change" {
        /// It holds.
        Granted = "granted",
        /// It is gone.
        Revoked = "revoked",
        /// There was none.
        NotFound = "not_found",
    }
}

/// What became of a rule, and the rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessChange {
    /// What became of it.
    pub status: AccessChangeStatus,
    /// The rule; where there was none, what was asked for.
    #[serde(flatten)]
    pub entry: AccessEntry,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_grant_needs_a_tool_and_a_server_grant_ignores_one() {
        let revoke = |entry_type, tool_name| AccessRevokeParams {
            agent_id: "a".into(),
            server_id: "s".into(),
            entry_type,
            tool_name,
        };
        let named = || Nullable::Value("t".to_owned());
        assert_eq!(revoke(EntryType::ToolGrant, named()).tool(), Ok(Some("t")));
        assert_eq!(revoke(EntryType::ServerGrant, named()).tool(), Ok(None));
        for nameless in [Nullable::Null, Nullable::Absent, Nullable::Value(String::new())] {
            assert_eq!(revoke(EntryType::ToolGrant, nameless).tool().unwrap_err().code, 4000);
        }
    }

    #[test]
    fn a_change_is_the_status_beside_the_rule_with_its_nulls() {
        let text = r#"{"status":"granted","entry_type":"server_grant","agent_id":"a","server_id":"s","tool_name":null,"permission":"allow","expires_at":null}"#;
        let change: AccessChange = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&change).unwrap(), text);
    }
}
