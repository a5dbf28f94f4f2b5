//! Rules that cannot be read.

use mgp_types::access::{AccessDecision, AccessSource, EntryType};
use serde::Serialize;
use std::fmt;

/// A stored rule that cannot be read, such as one that somebody wrote by hand. It grants nothing. Unless it says `allow`, it denies
/// what it may be about: where it does not say whom, which server or which tool, all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadableRule {
    /// The reach of the rule, where that can be read.
    pub entry_type: Option<EntryType>,
    /// The agent, where that can be read.
    pub agent_id: Option<String>,
    /// The server, where that can be read.
    pub server_id: Option<String>,
    /// The tool, where that can be read; empty for a whole server.
    pub tool_name: Option<String>,
    /// The decision that it holds, where that can be read.
    pub permission: Option<AccessDecision>,
    /// The problem with it.
    pub problem: String,
}

impl UnreadableRule {
    /// Returns whether it may be about an agent and something of a server.
    pub(super) fn may_be_about(&self, agent_id: &str, server_id: &str) -> bool {
        let is = |own: &Option<String>, other: &str| own.as_deref().is_none_or(|own| own == other);
        is(&self.agent_id, agent_id) && is(&self.server_id, server_id)
    }

    /// The kind of rule that denies a tool, or a server as a whole, to an agent, where this one does.
    pub(super) fn denies(
        &self,
        agent_id: &str,
        server_id: &str,
        tool_name: Option<&str>,
    ) -> Option<AccessSource> {
        if self.permission == Some(AccessDecision::Allow) || !self.may_be_about(agent_id, server_id) {
            return None;
        }
        match (self.entry_type, &self.tool_name) {
            (Some(EntryType::ServerGrant), _) => Some(AccessSource::ServerGrant),
            (Some(EntryType::ToolGrant), Some(own)) if !own.is_empty() && tool_name != Some(own) => None,
            _ => Some(AccessSource::ToolGrant),
        }
    }
}

impl fmt::Display for UnreadableRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or = |value: &Option<String>| value.clone().unwrap_or_else(|| "?".to_owned());
        let (agent, server) = (or(&self.agent_id), or(&self.server_id));
        write!(f, "an access rule of agent {agent:?} for server {server:?}")?;
        match &self.tool_name {
            Some(tool) if !tool.is_empty() => write!(f, ", tool {tool:?},")?,
            _ => {}
        }
        let effect = match self.permission {
            Some(AccessDecision::Allow) => "it grants nothing",
            _ => "it denies",
        };
        write!(f, " cannot be read ({}): {effect} until it is replaced or taken away", self.problem)
    }
}
