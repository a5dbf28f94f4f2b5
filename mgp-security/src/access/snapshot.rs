//! §5.2 The rules in memory, and what they say.

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

/// What the rules say, and which of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Whether the agent may.
    pub decision: AccessDecision,
    /// Which kind of rule decided.
    pub source: AccessSource,
    /// The rule; none where the default policy decided, or a rule that [cannot be read](UnreadableRule).
    pub entry: Option<Arc<AccessEntry>>,
}

/// A right that a principal, or somebody whom it acts for, does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessDenial {
    /// Who does not have it.
    pub agent_id: String,
    /// The judgement that denies it.
    pub judgement: Judgement,
}

impl AccessDenial {
    /// Returns the sentence that refuses a call of a tool by a name.
    #[must_use]
    pub fn of_call(&self, called_as: &str) -> String {
        let Self { agent_id, judgement } = self;
        format!("agent {agent_id:?} may not call tool {called_as:?} (decided by {})", judgement.source)
    }
}

impl Judgement {
    /// Whether the agent may.
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
    /// Until when a rule lets the agent do something.
    allowed: Allowed,
}

/// Until when one of several rules lets somebody do something. They are judged together so that no call looks at each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Allowed {
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

/// Who and what there is, as the configuration says.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    pub(super) agents: HashSet<Box<str>>,
    pub(super) servers: HashMap<Box<str>, DefaultPolicy>,
}

/// Everything that decides, at one moment.
#[derive(Debug, Clone, Default)]
pub(super) struct Snapshot {
    pub(super) rules: Arc<Rules>,
    pub(super) known: Arc<Known>,
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

    fn allowed(&self) -> Allowed {
        match (self.decision, self.expires) {
            (AccessDecision::Deny, _) => Allowed::Never,
            (AccessDecision::Allow, Some(end)) => Allowed::Until(end),
            (AccessDecision::Allow, None) => Allowed::Always,
        }
    }

    fn holds(&self, now: impl FnOnce() -> Timestamp) -> bool {
        self.expires.is_none_or(|end| now() < end)
    }
}

impl Allowed {
    fn holds(self, now: impl FnOnce() -> Timestamp) -> bool {
        match self {
            Self::Never => false,
            Self::Until(end) => now() < end,
            Self::Always => true,
        }
    }
}

impl Snapshot {
    /// What the rules say of an agent and a tool, or of an agent and a server as a whole.
    ///
    /// `now` is asked for only where a rule can run out.
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
        // A rule for the tool stands above one for its server, that cannot be read too.
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
            // The configuration names the agent, or a rule that holds lets it do something; nobody else gets a default.
            None if self.known.agents.contains(agent_id)
                || rules.is_some_and(|rules| rules.allowed.holds(now)) =>
            {
                Judgement::by_default(*policy)
            }
            None => Judgement::by_default(DefaultPolicy::OptIn),
        }
    }

    /// What the rules say of every tool of a server; none where a rule is for one tool alone.
    pub(super) fn judge_all_tools(&self, agent_id: &str, server_id: &str) -> Option<Judgement> {
        let rules = self.rules.agents.get(agent_id).and_then(|rules| rules.servers.get(server_id));
        let uniform = rules.is_none_or(|rules| rules.tools.is_empty())
            && !self.rules.unreadable.iter().any(|rule| rule.may_be_about(agent_id, server_id));
        uniform.then(|| self.judge(agent_id, server_id, None, Timestamp::now))
    }

    /// Returns whether an agent may use a server, or at least a tool of it by a rule.
    pub(super) fn allows_some(&self, agent_id: &str, server_id: &str) -> bool {
        let rules = self.rules.agents.get(agent_id).and_then(|rules| rules.servers.get(server_id));
        let tools = rules.into_iter().flat_map(|rules| rules.tools.keys()).map(|tool| Some(&**tool));
        std::iter::once(None)
            .chain(tools)
            .any(|tool| self.judge(agent_id, server_id, tool, Timestamp::now).allows())
    }

    /// Judges a tool for a principal and everybody whom it acts for.
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
