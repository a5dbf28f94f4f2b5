//! Access rules that cannot be read.

use crate::name_pattern::NamePattern;
use mgp_types::access::{AccessDecision, AccessSource, EntryType};
use serde::Serialize;
use std::fmt;

/// A stored rule that cannot be read, for example after it was edited by hand. The rule grants nothing. Unless its permission is
/// `allow`, it denies everything that it may be about: an unreadable agent, server or tool stands for all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadableRule {
    /// The scope of the rule, if it can be read.
    pub entry_type: Option<EntryType>,
    /// The agent, if it can be read.
    pub agent_id: Option<String>,
    /// The server, if it can be read.
    pub server_id: Option<String>,
    /// The tool, if it can be read; empty for a whole server.
    pub tool_name: Option<String>,
    /// The permission that the rule states, if it can be read.
    pub permission: Option<AccessDecision>,
    /// The problem that keeps the rule from being read.
    pub problem: String,
}

impl UnreadableRule {
    /// Returns whether the rule may be about an agent and a server, or a tool of that server.
    pub(super) fn may_be_about(&self, agent_id: &str, server_id: &str) -> bool {
        let is_agent = self.agent_id.as_deref().is_none_or(|own| own == agent_id);
        is_agent && self.server_id.as_deref().is_none_or(|own| NamePattern::new(own).matches(server_id))
    }

    /// Returns the source of the denial if this rule denies an agent a tool, or a server as a whole. Otherwise returns `None`.
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
            (Some(EntryType::ToolGrant), Some(own)) if !own.is_empty() => {
                let is_tool = tool_name.is_some_and(|name| NamePattern::new(own).matches(name));
                is_tool.then_some(AccessSource::ToolGrant)
            }
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
