//! `[access]`: grants that stand in the file (§5).

use serde::{Deserialize, Serialize};

/// The `[access]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AccessConfig {
    /// What agents may call.
    pub grants: Vec<Grant>,
    /// Agents that may register servers while the kernel runs; without one, only the admin role may.
    pub registrars: Vec<String>,
    /// Whether a tool that its caller may not use answers a call as one that does not exist; over HTTP alone where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conceal: Option<bool>,
}

/// One entry of `access.grants`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The agent.
    pub agent: String,
    /// The server.
    pub server: String,
    /// The tool; all of the server's where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}
