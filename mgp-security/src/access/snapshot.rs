//! §5.2 The rules in memory, and the decision that they make.

use super::{
    AccessDenial, AccessPolicy, AccessRequest, Judgement, PolicyDecision, RequestedTool, StoredRows,
    ToolProfiles, UnreadableRule, policy::ToolUse, rule::Rule, rule_set::RuleSet,
};
use hashbrown::{HashMap, HashSet};
use jiff::Timestamp;
use mgp_types::{
    access::{AccessDecision, AccessEntry, AccessSource, DefaultPolicy, Roles},
    context::{Principal, SessionTag, ToolId, TrustLevel},
    tool_security::ToolProfile,
};
use std::sync::Arc;

/// The stored rules, by agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Rules {
    agents: HashMap<Box<str>, RuleSet>,
    unreadable: Vec<UnreadableRule>,
}

/// The roles of agents. Agents share the rules of a role.
#[derive(Debug, Clone, Default)]
pub(super) struct RoleRules(HashMap<Box<str>, AgentRoles>);

/// The roles of one agent.
#[derive(Debug, Clone, Default)]
struct AgentRoles {
    names: Vec<Arc<str>>,
    rules: Vec<Arc<RuleSet>>,
}

/// The agents and servers that the configuration names.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownNames {
    pub(super) agents: HashSet<Box<str>>,
    pub(super) servers: HashMap<Box<str>, KnownServer>,
}

/// A server that is configured or registered.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownServer {
    pub(super) policy: DefaultPolicy,
    pub(super) trust: TrustLevel,
    /// True if the server was registered while the kernel ran.
    pub(super) registered: bool,
    /// The only session that may use the server; `None` for a server that belongs to no session.
    pub(super) session: Option<SessionTag>,
}

/// Everything that decisions depend on, at one moment.
#[derive(Debug, Clone, Default)]
pub(super) struct Snapshot {
    pub(super) rules: Arc<Rules>,
    pub(super) roles: Arc<RoleRules>,
    pub(super) known: Arc<KnownNames>,
    /// Decides where no rule does.
    pub(super) policy: Option<Arc<dyn AccessPolicy>>,
    pub(super) profiles: Option<Arc<dyn ToolProfiles>>,
}

/// A name that is not the name of any tool.
const NO_TOOL: &str = "\0";

/// The first match, which decides.
#[derive(Debug, Clone)]
pub(super) enum Decider<'a> {
    Rule(&'a Rule),
    Unreadable(AccessSource),
    Policy(PolicyDecision),
    Default(DefaultPolicy),
}

impl Rules {
    pub(super) fn new(stored: StoredRows<AccessEntry, UnreadableRule>) -> Self {
        let mut agents: HashMap<Box<str>, Vec<Rule>> = HashMap::default();
        for entry in stored.rows {
            let agent = entry.agent_id.as_str().into();
            agents.entry(agent).or_default().extend(Rule::of_entry(entry));
        }
        let agents = agents.into_iter().map(|(agent, rules)| (agent, rules.into_iter().collect()));
        Self { agents: agents.collect(), unreadable: stored.unreadable }
    }

    pub(super) fn unreadable(&self) -> &[UnreadableRule] {
        &self.unreadable
    }

    pub(super) fn agents(&self) -> impl Iterator<Item = (&str, &RuleSet)> {
        self.agents.iter().map(|(agent, rules)| (&**agent, rules))
    }
}

impl RoleRules {
    pub(super) fn new(roles: &Roles) -> Self {
        let compile = |(name, rules): (&str, &[_])| {
            let role: Arc<str> = name.into();
            let rules = rules.iter().map(|rule| Rule::of_role(role.clone(), rule));
            (role.clone(), Arc::new(rules.collect()))
        };
        let compiled: HashMap<Arc<str>, Arc<RuleSet>> = roles.rules().map(compile).collect();
        let of_agent = |agent: &str| {
            let own = || roles.of_agent(agent).filter_map(|role| compiled.get_key_value(role));
            let names = own().map(|(name, _)| name.clone()).collect();
            (agent.into(), AgentRoles { names, rules: own().map(|(_, rules)| rules.clone()).collect() })
        };
        Self(roles.agents().map(of_agent).collect())
    }

    fn of(&self, agent_id: &str) -> &[Arc<RuleSet>] {
        self.0.get(agent_id).map_or(&[], |roles| &roles.rules)
    }

    fn names(&self, agent_id: &str) -> &[Arc<str>] {
        self.0.get(agent_id).map_or(&[], |roles| &roles.names)
    }

    pub(super) fn agents(&self) -> impl Iterator<Item = (&str, &RuleSet)> {
        self.0.iter().flat_map(|(agent, roles)| roles.rules.iter().map(|role| (&**agent, &**role)))
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
        self.decide(agent_id, server_id, tool_name.map(ToolUse::any), now).into()
    }

    /// Returns the first match: a rule of the agent for the tool, one for its server, a rule of the agent's roles for the tool, one for
    /// its server, a decision of the policy, the server's default policy.
    pub(super) fn decide<'a>(
        &'a self,
        agent_id: &str,
        server_id: &str,
        tool: Option<ToolUse<'_>>,
        now: impl Fn() -> Timestamp + Copy,
    ) -> Decider<'a> {
        let tool_name = tool.map(|tool| tool.name);
        let Some(server) = self.known.servers.get(server_id) else {
            return Decider::Default(DefaultPolicy::OptIn);
        };
        let reaches = |rule: &Rule| match server.session {
            // Nobody can grant the use of a server that belongs to one session.
            Some(_) => rule.decision == AccessDecision::Deny,
            None => !server.registered || rule.reaches_registered(),
        };
        let counts = |rule: &Rule| rule.holds(now) && reaches(rule);
        let own = self.rules.agents.get(agent_id);
        let of_tool = |rules: &'a RuleSet| rules.of_tool(server_id, tool_name?, counts);
        let own_tool = own.and_then(of_tool);
        let denying =
            self.rules.unreadable.iter().filter_map(|rule| rule.denies(agent_id, server_id, tool_name));
        // A rule for the tool takes precedence over a rule for its server, even over one that cannot be read.
        if let Some(source) = denying.max_by_key(|source| *source == AccessSource::ToolGrant)
            && (source == AccessSource::ToolGrant || own_tool.is_none())
        {
            return Decider::Unreadable(source);
        }
        let of_server = |rules: &'a RuleSet| rules.of_server(server_id, counts);
        let roles = self.roles.of(agent_id);
        let rule = own_tool
            .or_else(|| own.and_then(of_server))
            .or_else(|| roles.iter().filter_map(|role| of_tool(role)).max_by_key(|rule| rule.rank()))
            .or_else(|| roles.iter().filter_map(|role| of_server(role)).max_by_key(|rule| rule.rank()));
        if let Some(rule) = rule {
            return Decider::Rule(rule);
        }
        let is_known = self.knows(agent_id, now);
        if let Some(policy) = &self.policy
            && (is_known || policy.names_agent(agent_id))
            && let Some(decision) = self.ask(&**policy, (agent_id, server_id, *server), tool, now)
        {
            return Decider::Policy(decision);
        }
        Decider::Default(if is_known { server.policy } else { DefaultPolicy::OptIn })
    }

    /// Evaluates the policy. For a server as a whole, and for a server that was registered while the kernel ran, only a denial counts.
    fn ask(
        &self,
        policy: &dyn AccessPolicy,
        (agent_id, server_id, server): (&str, &str, KnownServer),
        tool: Option<ToolUse<'_>>,
        now: impl Fn() -> Timestamp,
    ) -> Option<PolicyDecision> {
        let look_up = |name| self.profiles.as_ref()?.profile(&ToolId::new(server_id, name));
        let found = tool.filter(|tool| tool.profile.is_none()).and_then(|tool| look_up(tool.name));
        let decision = policy.decide(&AccessRequest {
            agent_id,
            roles: self.roles.names(agent_id),
            server_id,
            trust: server.trust,
            registered: server.registered,
            tool: tool.map(|tool| RequestedTool {
                name: tool.name,
                profile: tool.profile.or(found.as_deref()),
                arguments: tool.arguments,
            }),
            time: now().into(),
        });
        let may_allow = tool.is_some() && !server.registered;
        decision.filter(|found| may_allow || found.decision == AccessDecision::Deny)
    }

    /// Returns whether default policies apply to an agent: the configuration names it, or a rule allows it something.
    pub(super) fn knows(&self, agent_id: &str, now: impl Fn() -> Timestamp) -> bool {
        self.known.agents.contains(agent_id)
            || self.roles.0.contains_key(agent_id)
            || self.rules.agents.get(agent_id).is_some_and(|rules| rules.allowed().holds(now))
    }

    /// Returns the sets of rules of an agent: its own, and those of its roles.
    pub(super) fn sets_of(&self, agent_id: &str) -> impl Iterator<Item = &RuleSet> {
        let own = self.rules.agents.get(agent_id);
        own.into_iter().chain(self.roles.of(agent_id).iter().map(|role| &**role))
    }

    /// Returns the judgement that holds for every tool of a server, or `None` if a rule may be about only some of them.
    pub(super) fn judge_all_tools(&self, agent_id: &str, server_id: &str) -> Option<Judgement> {
        let uniform = self.sets_of(agent_id).all(|rules| rules.tools(server_id).next().is_none())
            && !self.rules.unreadable.iter().any(|rule| rule.may_be_about(agent_id, server_id));
        if !uniform {
            return None;
        }
        let decider = self.decide(agent_id, server_id, None, Timestamp::now);
        // A policy may judge each tool differently.
        let is_of_all = self.policy.is_none() || matches!(decider, Decider::Rule(_) | Decider::Unreadable(_));
        is_of_all.then(|| decider.into())
    }

    /// Returns whether an agent may use a server, or at least one of its tools: by a rule, or by a policy that reads nothing of the tool.
    pub(super) fn allows_some(&self, agent_id: &str, server_id: &str) -> bool {
        let allows = |tool: Option<&str>| self.judge(agent_id, server_id, tool, Timestamp::now).allows();
        let mut tools = self.sets_of(agent_id).flat_map(|rules| rules.tools(server_id));
        allows(None)
            || tools.any(|tool| allows(Some(&tool.example())))
            || self.policy.is_some() && allows(Some(NO_TOOL))
    }

    /// Returns the only session that may use a server; `None` for a server that belongs to no session.
    pub(super) fn session_of(&self, server_id: &str) -> Option<SessionTag> {
        self.known.servers.get(server_id)?.session
    }

    /// Returns whether a server belongs to the session in which a principal acts for itself.
    fn is_own(&self, principal: &Principal, server_id: &str) -> bool {
        let session = self.session_of(server_id);
        session.is_some() && session == principal.session() && !principal.is_delegated()
    }

    /// Returns whether a tool is known to change nothing. Its profile is looked up if it is not given. What a sandboxed server declares
    /// does not count.
    pub(super) fn reads_only(&self, tool: &ToolId, profile: Option<&ToolProfile>) -> bool {
        let server = self.known.servers.get(&*tool.server_id);
        if server.is_none_or(|server| server.trust == TrustLevel::Sandboxed) {
            return false;
        }
        let found = || self.profiles.as_ref()?.profile(tool);
        profile
            .map_or_else(|| found().is_some_and(|profile| profile.reads_only), |profile| profile.reads_only)
    }

    /// Judges a tool for a principal and every agent that it acts for.
    pub(super) fn authorize(
        &self,
        principal: &Principal,
        server_id: &str,
        tool: ToolUse<'_>,
    ) -> Result<Judgement, AccessDenial> {
        let is_own = self.is_own(principal, server_id);
        let judge = |agent| match self.decide(agent, server_id, Some(tool), Timestamp::now) {
            Decider::Default(_) if is_own => Judgement::by_default(DefaultPolicy::OptOut),
            decider => decider.into(),
        };
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

impl From<Decider<'_>> for Judgement {
    fn from(decider: Decider<'_>) -> Self {
        match decider {
            Decider::Rule(rule) => rule.into(),
            Decider::Unreadable(source) => Self::by_unreadable(source),
            Decider::Policy(decision) => Self::by_policy(decision),
            Decider::Default(policy) => Self::by_default(policy),
        }
    }
}
