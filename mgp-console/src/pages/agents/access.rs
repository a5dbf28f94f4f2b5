//! The JSON of `mgp access list` and `mgp keys list`, as far as the page shows it.

use mgp_types::lifecycle::OperatorRole;
use serde::Deserialize;

/// The answer of `mgp access list`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AccessList {
    pub(super) entries: Vec<Entry>,
    pub(super) by_roles: Vec<RoleEntry>,
}

/// A rule of an agent.
#[derive(Debug, Deserialize)]
pub(super) struct Entry {
    pub(super) agent_id: String,
    pub(super) server_id: String,
    #[serde(default)]
    pub(super) tool_name: Option<String>,
    #[serde(default)]
    pub(super) permission: Option<String>,
    #[serde(default)]
    pub(super) granted_by: Option<String>,
    #[serde(default)]
    pub(super) expires_at: Option<String>,
    #[serde(default)]
    pub(super) justification: Option<String>,
}

/// A rule that an agent has by a role.
#[derive(Debug, Deserialize)]
pub(super) struct RoleEntry {
    pub(super) agent_id: String,
    pub(super) role: String,
    pub(super) server_id: String,
    #[serde(default)]
    pub(super) tool_name: Option<String>,
    pub(super) permission: String,
}

/// The answer of `mgp keys list`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct KeyList {
    pub(super) keys: Vec<Key>,
}

/// A key without its text.
#[derive(Debug, Deserialize)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) agent: String,
    #[serde(default)]
    pub(super) admin: bool,
    #[serde(default)]
    pub(super) scopes: Vec<String>,
    /// The role in the console of a key that opens only the console.
    #[serde(default)]
    pub(super) console: Option<OperatorRole>,
    #[serde(default)]
    pub(super) created_at: String,
    #[serde(default)]
    pub(super) expires_at: Option<String>,
    #[serde(default)]
    pub(super) last_used: Option<String>,
    #[serde(default)]
    pub(super) expired: bool,
    #[serde(default)]
    pub(super) configured: bool,
}
