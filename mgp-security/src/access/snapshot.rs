//! §5.2 The rules in memory, and the judgements that follow from them.

use super::{StoredRows, UnreadableRule};
use jiff::Timestamp;
use mgp_types::{
    access::{AccessDecision, AccessEntry, AccessSource, DefaultPolicy, EntryType},
    context::{Principal, ToolId},
};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// The decision of the rules on an agent's use of a tool or a server, with the rule that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The decision.
    pub decision: AccessDecision,
    /// The kind of rule that decided.
    pub source: AccessSource,
    /// The rule that decided. `None` if that was the default policy, or a rule that [cannot be read](UnreadableRule).
    pub entry: Option<Arc<AccessEntry>>,
}

/// The denial of a tool to a principal, or to an agent that the principal acts for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessDenial {
    /// The agent that may not use the tool.
    pub agent_id: String,
    /// The judgement that denies the tool.
    pub judgement: Judgement,
}

impl AccessDenial {
    /// Returns the sentence that refuses a call of the tool under the name `called_as`.
    #[must_use]
    pub fn of_call(&self, called_as: &str) -> String {
        let Self { agent_id, judgement } = self;
        format!("agent {agent_id:?} may not call tool {called_as:?} (decided by {})", judgement.source)
    }
}

impl Judgement {
    /// Returns `true` if the agent may use the tool or the server.
    #[must_use]
    pub fn allows(&self) -> bool {
        self.decision == AccessDecision::Allow
    }

    fn by_default(policy: DefaultPolicy) -> Self {
        Self { decision: policy.decision(), source: AccessSource::DefaultPolicy, entry: None }
    }
}

/// The rules, by agent, server and tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Rules {
    agents: HashMap<Box<str>, AgentRules>,
    unreadable: Vec<UnreadableRule>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct AgentRules {
    servers: HashMap<Box<str>, ServerRules>,
    /// The time until which a rule allows the agent anything at all.
    allowed: AllowedUntil,
}

/// The time until which at least one of an agent's rules allows something. It is computed once, so that no call has to look at every rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum AllowedUntil {
    #[default]
    Never,
    Until(Timestamp),
    Always,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ServerRules {
    server: Option<Rule>,
    tools: HashMap<Box<str>, Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    entry: Arc<AccessEntry>,
    decision: AccessDecision,
    expires: Option<Timestamp>,
}

/// The agents and servers that the configuration names.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownNames {
    pub(super) agents: HashSet<Box<str>>,
    pub(super) servers: HashMap<Box<str>, DefaultPolicy>,
}

/// Everything that decisions depend on, at one moment.
#[derive(Debug, Clone, Default)]
pub(super) struct Snapshot {
    pub(super) rules: Arc<Rules>,
    pub(super) known: Arc<KnownNames>,
}

impl Rules {
    pub(super) fn new(stored: StoredRows<AccessEntry, UnreadableRule>) -> Self {
        let mut rules = Self { unreadable: stored.unreadable, ..Self::default() };
        for entry in stored.rows {
            let Some(rule) = Rule::new(entry) else { continue };
            let entry = rule.entry.clone();
            let agent = rules.agents.entry(entry.agent_id.as_str().into()).or_default();
            agent.allowed = agent.allowed.max(rule.allowed());
            let server = agent.servers.entry(entry.server_id.as_str().into()).or_default();
            match (entry.entry_type, entry.tool_name.get()) {
                (EntryType::ServerGrant, _) => server.server = Some(rule),
                (EntryType::ToolGrant, Some(tool)) => drop(server.tools.insert(tool.as_str().into(), rule)),
                (EntryType::ToolGrant, None) => {}
            }
        }
        rules
    }

    pub(super) fn unreadable(&self) -> &[UnreadableRule] {
        &self.unreadable
    }
}

/// Returns whether a rule can be read and has not ended.
pub(super) fn is_valid(entry: &AccessEntry) -> bool {
    Rule::new(entry.clone()).is_some_and(|rule| rule.holds(Timestamp::now))
}

impl Rule {
    fn new(entry: AccessEntry) -> Option<Self> {
        let decision = entry.permission?;
        let expires = match entry.expires_at.get() {
            None => None,
            // A rule whose end cannot be read is over if it allows, and holds if it forbids.
            Some(text) => match (text.parse(), decision) {
                (Ok(time), _) => Some(time),
                (Err(_), AccessDecision::Allow) => return None,
                (Err(_), AccessDecision::Deny) => None,
            },
        };
        Some(Self { entry: Arc::new(entry), decision, expires })
    }

    fn allowed(&self) -> AllowedUntil {
        match (self.decision, self.expires) {
            (AccessDecision::Deny, _) => AllowedUntil::Never,
            (AccessDecision::Allow, Some(end)) => AllowedUntil::Until(end),
            (AccessDecision::Allow, None) => AllowedUntil::Always,
        }
    }

    fn holds(&self, now: impl FnOnce() -> Timestamp) -> bool {
        self.expires.is_none_or(|end| now() < end)
    }
}

impl AllowedUntil {
    fn holds(self, now: impl FnOnce() -> Timestamp) -> bool {
        match self {
            Self::Never => false,
            Self::Until(end) => now() < end,
            Self::Always => true,
        }
    }
}

impl Snapshot {
    /// Returns the judgement on an agent and a tool, or on an agent and a server as a whole if `tool_name` is `None`.
    ///
    /// `now` is called only if a rule can expire.
    pub(super) fn judge(
        &self,
        agent_id: &str,
        server_id: &str,
        tool_name: Option<&str>,
        now: impl Fn() -> Timestamp + Copy,
    ) -> Judgement {
        let rules = self.rules.agents.get(agent_id);
        let Some(policy) = self.known.servers.get(server_id) else {
            return Judgement::by_default(DefaultPolicy::OptIn);
        };
        let of_tool = || {
            let rule = rules?.servers.get(server_id)?.tools.get(tool_name?)?;
            rule.holds(now).then_some(())
        };
        let denying =
            self.rules.unreadable.iter().filter_map(|rule| rule.denies(agent_id, server_id, tool_name));
        // A rule for the tool takes precedence over a rule for its server, even over one that cannot be read.
        if let Some(source) = denying.max_by_key(|source| *source == AccessSource::ToolGrant)
            && (source == AccessSource::ToolGrant || of_tool().is_none())
        {
            return Judgement { decision: AccessDecision::Deny, source, entry: None };
        }
        let found = rules.and_then(|rules| rules.servers.get(server_id)).and_then(|rules| {
            let tool = tool_name.and_then(|name| rules.tools.get(name)).filter(|rule| rule.holds(now));
            let server = || rules.server.as_ref().filter(|rule| rule.holds(now));
            tool.map(|rule| (AccessSource::ToolGrant, rule))
                .or_else(|| server().map(|rule| (AccessSource::ServerGrant, rule)))
        });
        match found {
            Some((source, rule)) => {
                Judgement { decision: rule.decision, source, entry: Some(rule.entry.clone()) }
            }
            // The default policy applies to agents that the configuration names, or that a rule allows something, and to no others.
            None if self.known.agents.contains(agent_id)
                || rules.is_some_and(|rules| rules.allowed.holds(now)) =>
            {
                Judgement::by_default(*policy)
            }
            None => Judgement::by_default(DefaultPolicy::OptIn),
        }
    }

    /// Returns the judgement that holds for every tool of a server, or `None` if a rule is, or may be, for one tool alone.
    pub(super) fn judge_all_tools(&self, agent_id: &str, server_id: &str) -> Option<Judgement> {
        let rules = self.rules.agents.get(agent_id).and_then(|rules| rules.servers.get(server_id));
        let uniform = rules.is_none_or(|rules| rules.tools.is_empty())
            && !self.rules.unreadable.iter().any(|rule| rule.may_be_about(agent_id, server_id));
        uniform.then(|| self.judge(agent_id, server_id, None, Timestamp::now))
    }

    /// Returns whether an agent may use a server, or at least one of its tools by a rule.
    pub(super) fn allows_some(&self, agent_id: &str, server_id: &str) -> bool {
        let rules = self.rules.agents.get(agent_id).and_then(|rules| rules.servers.get(server_id));
        let tools = rules.into_iter().flat_map(|rules| rules.tools.keys()).map(|tool| Some(&**tool));
        std::iter::once(None)
            .chain(tools)
            .any(|tool| self.judge(agent_id, server_id, tool, Timestamp::now).allows())
    }

    /// Judges a tool for a principal and every agent that it acts for.
    pub(super) fn authorize(&self, principal: &Principal, tool: &ToolId) -> Result<Judgement, AccessDenial> {
        let judge = |agent| self.judge(agent, &tool.server_id, Some(&tool.tool_name), Timestamp::now);
        let mut own = None;
        for agent in principal.parties() {
            let judgement = judge(agent);
            if !judgement.allows() {
                return Err(AccessDenial { agent_id: agent.to_owned(), judgement });
            }
            own.get_or_insert(judgement);
        }
        Ok(own.unwrap_or_else(|| judge(principal.id())))
    }
}
