//! §5.4 `mgp/access/*`. The kernel answers these methods, to principals with the admin role.

use super::{AccessDecision, AccessEntry, AccessSource, EntryType};
use crate::{error::ErrorCode, json::Nullable, rpc::ErrorObject};
use serde::{Deserialize, Serialize};

calls! {
    /// Asks whether an agent may use a tool, and which rule decides.
    call QueryAccess = "mgp/access/query": AccessQueryParams => AccessQueryResult;
    /// Makes or replaces a rule.
    call GrantAccess = "mgp/access/grant": AccessGrantParams => AccessChange;
    /// Removes a rule.
    call RevokeAccess = "mgp/access/revoke": AccessRevokeParams => AccessChange;
}

/// The agent, server and tool to ask about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccessQueryParams {
    /// The agent.
    pub agent_id: String,
    /// The server.
    pub server_id: String,
    /// The tool; absent for the server as a whole.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub tool_name: Nullable<String>,
}

/// The decision on an agent's access, and the rule that made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccessQueryResult {
    /// The decision.
    pub permission: AccessDecision,
    /// The source of the decision.
    pub source: AccessSource,
    /// The role of the agent whose rule decided; absent if the rule was not one of a role.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub role: Nullable<String>,
    /// The name of the policy that decided; absent if no policy decided.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub policy: Nullable<String>,
    /// The caller that made the rule.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub granted_by: Nullable<String>,
    /// The time at which the rule was made (RFC 3339).
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub granted_at: Nullable<String>,
    /// The time at which the rule expires (RFC 3339); never if `null`.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub expires_at: Nullable<String>,
}

/// The rule to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccessGrantParams {
    /// The scope of the rule.
    pub entry_type: EntryType,
    /// The id of the agent that the rule is for.
    pub agent_id: String,
    /// The server.
    pub server_id: String,
    /// The tool; required for a tool grant.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub tool_name: Nullable<String>,
    /// The permission that the rule states.
    pub permission: AccessDecision,
    /// The requester, in the sender's words. Not used: the authenticated caller is recorded instead.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub granted_by: Nullable<String>,
    /// The reason for the rule.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub justification: Nullable<String>,
    /// The time at which the rule expires (RFC 3339); never if `null`.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub expires_at: Nullable<String>,
}

impl From<AccessEntry> for AccessGrantParams {
    /// Returns the request for a rule. A rule without a permission denies.
    fn from(entry: AccessEntry) -> Self {
        Self {
            entry_type: entry.entry_type,
            agent_id: entry.agent_id,
            server_id: entry.server_id,
            tool_name: entry.tool_name,
            permission: entry.permission.unwrap_or(AccessDecision::Deny),
            granted_by: entry.granted_by,
            justification: entry.justification,
            expires_at: entry.expires_at,
        }
    }
}

/// The rule to remove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccessRevokeParams {
    /// The id of the agent that the rule is for.
    pub agent_id: String,
    /// The server.
    pub server_id: String,
    /// The scope of the rule.
    pub entry_type: EntryType,
    /// The tool; required for a tool grant.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub tool_name: Nullable<String>,
}

impl AccessGrantParams {
    /// Returns the tool that the rule is for, or `None` for a server grant.
    ///
    /// # Errors
    /// 4000 if a tool grant names no tool.
    pub fn tool(&self) -> Result<Option<&str>, ErrorObject> {
        tool(self.entry_type, &self.tool_name)
    }
}

impl AccessRevokeParams {
    /// Returns the tool that the rule is for, or `None` for a server grant.
    ///
    /// # Errors
    /// 4000 if a tool grant names no tool.
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
    /// The result of a change to a rule.
    pub enum AccessChangeStatus as "access change" {
        /// The rule now applies.
        Granted = "granted",
        /// The rule was removed.
        Revoked = "revoked",
        /// The rule did not exist.
        NotFound = "not_found",
    }
}

/// The result of a change to a rule, and the rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccessChange {
    /// The result of the change.
    pub status: AccessChangeStatus,
    /// The rule, or the requested one if there was none.
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
    fn a_change_is_the_status_with_the_rule_and_its_nulls() {
        let text = r#"{"status":"granted","entry_type":"server_grant","agent_id":"a","server_id":"s","tool_name":null,"permission":"allow","expires_at":null}"#;
        let change: AccessChange = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&change).unwrap(), text);
    }
}
