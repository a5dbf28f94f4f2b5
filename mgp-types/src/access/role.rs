//! Roles: named sets of rules that agents have in common.

use super::AccessDecision;
use std::collections::BTreeMap;

/// One rule of a role. In the names of its server and its tool, `*` stands for any text.
///
/// ```
/// use mgp_types::access::RoleRule;
///
/// let reads = RoleRule::allow("fs-*").tool("read_*");
/// let but_no_secrets = RoleRule::deny("*").tool("*secret*");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleRule {
    /// The server.
    pub server_id: String,
    /// The tool; `None` stands for the whole server.
    pub tool_name: Option<String>,
    /// The permission that the rule states.
    pub permission: AccessDecision,
}

impl RoleRule {
    /// Creates a rule that lets agents use a server, or one tool of it.
    pub fn allow(server_id: impl Into<String>) -> Self {
        Self { server_id: server_id.into(), tool_name: None, permission: AccessDecision::Allow }
    }

    /// Creates a rule that forbids agents to use a server, or one tool of it.
    pub fn deny(server_id: impl Into<String>) -> Self {
        Self { server_id: server_id.into(), tool_name: None, permission: AccessDecision::Deny }
    }

    /// Narrows the rule to one tool.
    #[must_use]
    pub fn tool(self, name: impl Into<String>) -> Self {
        Self { tool_name: Some(name.into()), ..self }
    }
}

/// The defined roles, and the roles of each agent.
///
/// ```
/// use mgp_types::access::{RoleRule, Roles};
///
/// let roles = Roles::new()
///     .role("reader", [RoleRule::allow("fs-*").tool("read_*")])
///     .agent("ci.bot", ["reader"]);
/// assert!(roles.of_agent("ci.bot").eq(["reader"]));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roles {
    roles: BTreeMap<String, Vec<RoleRule>>,
    agents: BTreeMap<String, Vec<String>>,
}

impl Roles {
    /// Creates a set without roles.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a role, or adds rules to it.
    #[must_use]
    pub fn role(mut self, name: impl Into<String>, rules: impl IntoIterator<Item = RoleRule>) -> Self {
        self.roles.entry(name.into()).or_default().extend(rules);
        self
    }

    /// Adds an agent, or gives it more roles. A role that does not exist has no rules.
    #[must_use]
    pub fn agent<R: Into<String>>(
        mut self,
        agent_id: impl Into<String>,
        roles: impl IntoIterator<Item = R>,
    ) -> Self {
        let own = self.agents.entry(agent_id.into()).or_default();
        for role in roles.into_iter().map(R::into) {
            if !own.contains(&role) {
                own.push(role);
            }
        }
        self
    }

    /// Returns these roles and agents together with others.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let all = other.roles.into_iter().fold(self, |all, (name, rules)| all.role(name, rules));
        other.agents.into_iter().fold(all, |all, (agent, roles)| all.agent(agent, roles))
    }

    /// Returns the roles, each with its rules, in the order of their names.
    pub fn rules(&self) -> impl Iterator<Item = (&str, &[RoleRule])> {
        self.roles.iter().map(|(name, rules)| (name.as_str(), rules.as_slice()))
    }

    /// Returns the agents that have roles, or were added without any.
    pub fn agents(&self) -> impl Iterator<Item = &str> {
        self.agents.keys().map(String::as_str)
    }

    /// Returns the names of an agent's roles.
    pub fn of_agent(&self, agent_id: &str) -> impl Iterator<Item = &str> {
        self.agents.get(agent_id).into_iter().flatten().map(String::as_str)
    }

    /// Returns the agents that have a role.
    pub fn holders(&self, role: &str) -> impl Iterator<Item = &str> {
        let has = move |roles: &Vec<String>| roles.iter().any(|own| own == role);
        self.agents.iter().filter(move |(_, roles)| has(roles)).map(|(agent, _)| agent.as_str())
    }
}
