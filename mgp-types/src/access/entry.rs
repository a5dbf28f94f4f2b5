//! §5.2, §5.3 and §5.5: what a rule says and where it comes from.

use crate::json::Nullable;
use serde::{Deserialize, Serialize};

spelled! {
    /// How far a rule reaches (§5.3).
    pub enum EntryType as "entry type" {
        /// A whole server.
        ServerGrant = "server_grant",
        /// One tool; stands above the server's.
        ToolGrant = "tool_grant",
    }
}

spelled! {
    /// What a rule says.
    pub enum AccessDecision as "access permission" {
        /// May.
        Allow = "allow",
        /// May not.
        Deny = "deny",
    }
}

spelled! {
    /// Which rule decided (§5.2): the first of these that there is.
    pub enum AccessSource as "access source" {
        /// A rule for the tool.
        ToolGrant = "tool_grant",
        /// A rule for the server.
        ServerGrant = "server_grant",
        /// No rule.
        DefaultPolicy = "default_policy",
    }
}

spelled! {
    /// What holds where there is no rule (§5.5).
    #[derive(Default)]
    pub enum DefaultPolicy as "default policy" {
        /// May not.
        #[default]
        OptIn = "opt-in",
        /// May.
        OptOut = "opt-out",
    }
}

impl DefaultPolicy {
    /// What it says.
    #[must_use]
    pub const fn decision(self) -> AccessDecision {
        match self {
            Self::OptIn => AccessDecision::Deny,
            Self::OptOut => AccessDecision::Allow,
        }
    }
}

/// A rule as it is stored: one for each entry type, agent, server and tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessEntry {
    /// How far it reaches.
    pub entry_type: EntryType,
    /// Whose it is.
    pub agent_id: String,
    /// The server.
    pub server_id: String,
    /// The tool, for a tool grant.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub tool_name: Nullable<String>,
    /// What it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<AccessDecision>,
    /// Who made it: the authenticated caller.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub granted_by: Nullable<String>,
    /// When it was made (RFC 3339).
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub granted_at: Nullable<String>,
    /// When it runs out (RFC 3339); `null` is never.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub expires_at: Nullable<String>,
    /// Why it was made.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub justification: Nullable<String>,
}
