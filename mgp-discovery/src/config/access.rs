//! `[access]`: grants in the file (§5).

use serde::{Deserialize, Serialize};

/// The `[access]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AccessConfig {
    /// The grants, which say what agents may call.
    pub grants: Vec<Grant>,
    /// Agents that may register servers while the kernel runs; without one, only the admin role may.
    pub registrars: Vec<String>,
    /// True if a call of a tool that the caller may not use is answered as if the tool did not exist. `None` means true over HTTP
    /// only.
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
    /// The tool. `None` stands for all tools of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}
