//! §5.2, §5.3 and §5.5: access rules, their scope and their source.

use crate::json::Nullable;
use serde::{Deserialize, Serialize};

spelled! {
    /// The scope of a rule (§5.3).
    pub enum EntryType as "entry type" {
        /// A whole server.
        ServerGrant = "server_grant",
        /// One tool; takes precedence over a rule for the server.
        ToolGrant = "tool_grant",
    }
}

spelled! {
    /// The permission that a rule states.
    pub enum AccessDecision as "access permission" {
        /// The agent may use the tool.
        Allow = "allow",
        /// The agent may not use the tool.
        Deny = "deny",
    }
}

spelled! {
    /// The rule that decided (§5.2). The first of these that exists decides.
    pub enum AccessSource as "access source" {
        /// A rule for the tool.
        ToolGrant = "tool_grant",
        /// A rule for the server.
        ServerGrant = "server_grant",
        /// The default policy, because there is no rule.
        DefaultPolicy = "default_policy",
    }
}

spelled! {
    /// The policy without a rule (§5.5).
    #[derive(Default)]
    pub enum DefaultPolicy as "default policy" {
        /// Tools may not be used without a rule.
        #[default]
        OptIn = "opt-in",
        /// Tools may be used without a rule.
        OptOut = "opt-out",
    }
}

impl DefaultPolicy {
    /// Returns the decision that the policy makes.
    #[must_use]
    pub const fn decision(self) -> AccessDecision {
        match self {
            Self::OptIn => AccessDecision::Deny,
            Self::OptOut => AccessDecision::Allow,
        }
    }
}

/// A rule as it is stored: one for each entry type, agent, server and tool.
///
/// ```
/// use mgp_types::access::AccessEntry;
///
/// let all_of_the_clock = AccessEntry::allow("ann").server("clock");
/// let but_not_this = AccessEntry::deny("ann").server("clock").tool("set_alarm").justification("she oversleeps");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccessEntry {
    /// The scope of the rule.
    pub entry_type: EntryType,
    /// The id of the agent that the rule is for.
    pub agent_id: String,
    /// The server.
    pub server_id: String,
    /// The tool, for a tool grant.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub tool_name: Nullable<String>,
    /// The permission that the rule states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<AccessDecision>,
    /// The authenticated caller that made the rule.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub granted_by: Nullable<String>,
    /// The time at which the rule was made (RFC 3339).
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub granted_at: Nullable<String>,
    /// The time at which the rule expires (RFC 3339); never if `null`.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub expires_at: Nullable<String>,
    /// The reason for the rule.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub justification: Nullable<String>,
}

impl AccessEntry {
    /// Begins a rule that lets an agent use a server, or one tool of it.
    pub fn allow(agent_id: impl Into<String>) -> AccessSubject {
        AccessSubject { agent_id: agent_id.into(), permission: AccessDecision::Allow }
    }

    /// Begins a rule that forbids an agent to use a server, or one tool of it.
    pub fn deny(agent_id: impl Into<String>) -> AccessSubject {
        AccessSubject { agent_id: agent_id.into(), permission: AccessDecision::Deny }
    }

    /// Narrows the rule to one tool.
    #[must_use]
    pub fn tool(self, name: impl Into<String>) -> Self {
        Self { entry_type: EntryType::ToolGrant, tool_name: Nullable::Value(name.into()), ..self }
    }

    /// Sets the maker of the rule.
    #[must_use]
    pub fn granted_by(self, id: impl Into<String>) -> Self {
        Self { granted_by: Nullable::Value(id.into()), ..self }
    }

    /// Sets the time at which the rule expires (RFC 3339).
    #[must_use]
    pub fn expires_at(self, time: impl Into<String>) -> Self {
        Self { expires_at: Nullable::Value(time.into()), ..self }
    }

    /// Sets the reason for the rule.
    #[must_use]
    pub fn justification(self, reason: impl Into<String>) -> Self {
        Self { justification: Nullable::Value(reason.into()), ..self }
    }
}

/// The beginning of a rule: its agent and its permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessSubject {
    agent_id: String,
    permission: AccessDecision,
}

impl AccessSubject {
    /// Returns the rule for all tools of a server.
    #[must_use]
    pub fn server(self, id: impl Into<String>) -> AccessEntry {
        AccessEntry {
            entry_type: EntryType::ServerGrant,
            agent_id: self.agent_id,
            server_id: id.into(),
            tool_name: Nullable::Absent,
            permission: Some(self.permission),
            granted_by: Nullable::Absent,
            granted_at: Nullable::Absent,
            expires_at: Nullable::Absent,
            justification: Nullable::Absent,
        }
    }
}
