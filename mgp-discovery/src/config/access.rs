//! `[access]`, `[[agents]]` and `[roles]`: grants in the file (§5).

use super::Text;
use mgp_types::access::{AccessDecision, RoleRule};
use serde::{Deserialize, Serialize};

/// The `[access]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AccessConfig {
    /// The grants, which state the tools that agents may call.
    pub grants: Vec<Grant>,
    /// The file with the Cedar policies that decide if no grant does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_file: Option<Text>,
    /// Agents that may register servers while the kernel runs. If empty, only the admin role may.
    pub registrars: Vec<String>,
    /// True if a call to a tool that the caller may not use is answered as if the tool did not exist. `None` means true over HTTP only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conceal: Option<bool>,
}

/// One entry of `access.grants`. In the names of the server and the tool, `*` stands for any text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The agent.
    pub agent: String,
    /// The server.
    pub server: String,
    /// The tool. `None` stands for all tools of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The permission that the rule states.
    #[serde(default = "allow", skip_serializing_if = "allows")]
    pub permission: AccessDecision,
}

/// One `[roles.NAME]` table: a set of grants that agents have in common.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RoleConfig {
    /// The grants.
    pub grants: Vec<RoleGrant>,
}

/// One entry of `roles.NAME.grants`. In the names of the server and the tool, `*` stands for any text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleGrant {
    /// The server.
    pub server: String,
    /// The tool. `None` stands for all tools of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The permission that the rule states.
    #[serde(default = "allow", skip_serializing_if = "allows")]
    pub permission: AccessDecision,
}

/// One `[[agents]]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentConfig {
    /// The id of the agent.
    pub id: String,
    /// The names of the agent's roles.
    #[serde(default)]
    pub roles: Vec<String>,
}

impl From<&RoleGrant> for RoleRule {
    fn from(grant: &RoleGrant) -> Self {
        Self { server_id: grant.server.clone(), tool_name: grant.tool.clone(), permission: grant.permission }
    }
}

const fn allow() -> AccessDecision {
    AccessDecision::Allow
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn allows(permission: &AccessDecision) -> bool {
    *permission == AccessDecision::Allow
}
