//! The reasons for a decision: each rule, and why it decides or does not.

use super::{
    AccessControl, CallArguments, Judgement, UnreadableRule,
    policy::ToolUse,
    rule::{Rank, Rule, RuleOrigin},
    rule_set::RuleSet,
    snapshot::{Decider, Snapshot},
};
use jiff::Timestamp;
use mgp_types::{
    access::{AccessDecision, DefaultPolicy},
    context::ToolId,
    json::RawJson,
};
use serde::Serialize;
use std::cmp::Reverse;

/// A decision on an agent and a tool or a server, with every rule of the agent and of its roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The decision.
    pub judgement: Judgement,
    /// The rules in the order of precedence: the agent's own before those of its roles, and rules about the tool or server first.
    pub rules: Vec<ExplainedRule>,
    /// The default policy of the server; `None` for an unknown server, which is denied to everybody.
    pub default_policy: Option<DefaultPolicy>,
    /// True if there is a [policy](AccessControl::set_policy), which decides if no rule does.
    pub has_policy: bool,
    /// True if default policies apply to the agent, because the configuration names it or a rule allows it something.
    pub agent_is_known: bool,
}

/// One rule, and why it decides or does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExplainedRule {
    /// The role that has the rule; `None` for a rule of the agent itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The server, or the pattern of servers, if it can be read.
    pub server_id: Option<String>,
    /// The tool, or the pattern of tools; `None` for a whole server.
    pub tool_name: Option<String>,
    /// The permission that the rule states, if it can be read.
    pub permission: Option<AccessDecision>,
    /// The time at which the rule ends (RFC 3339), if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// The role of the rule in the decision.
    pub standing: RuleStanding,
}

/// The role of a rule in a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleStanding {
    /// The rule decides.
    Decides,
    /// A rule that takes precedence decides.
    Overridden,
    /// The rule has ended.
    Ended,
    /// The server was registered while the kernel ran: only a rule of the agent itself that names the server exactly allows anything there.
    Registered,
    /// The rule cannot be read, and grants nothing.
    Unreadable,
    /// The rule is about other tools.
    OtherTool,
    /// The rule is about other servers.
    OtherServer,
}

impl RuleStanding {
    /// Returns the reason as a sentence.
    #[must_use]
    pub const fn as_sentence(self) -> &'static str {
        match self {
            Self::Decides => "decides",
            Self::Overridden => "a rule that takes precedence decides",
            Self::Ended => "has ended",
            Self::Registered => {
                "allows nothing here: the server was registered at run time, and needs a rule that names it"
            }
            Self::Unreadable => "cannot be read, and grants nothing",
            Self::OtherTool => "is about other tools",
            Self::OtherServer => "is about other servers",
        }
    }
}

impl AccessControl {
    /// Returns the decision on an agent and a server, or on an agent and one of the server's tools, with the reasons.
    #[must_use]
    pub fn explain(&self, agent_id: &str, server_id: &str, tool_name: Option<&str>) -> Explanation {
        self.snapshot().explain(agent_id, server_id, tool_name.map(ToolUse::any))
    }

    /// Returns the decision on an agent's call of a tool with these arguments, with the reasons.
    #[must_use]
    pub fn explain_call(&self, agent_id: &str, tool: &ToolId, arguments: Option<&RawJson>) -> Explanation {
        let used = ToolUse { arguments: CallArguments::Given(arguments), ..ToolUse::any(&tool.tool_name) };
        self.snapshot().explain(agent_id, &tool.server_id, Some(used))
    }
}

impl Snapshot {
    fn explain(&self, agent_id: &str, server_id: &str, tool: Option<ToolUse<'_>>) -> Explanation {
        let tool_name = tool.map(|tool| tool.name);
        let time = Timestamp::now();
        let now = || time;
        let decider = self.decide(agent_id, server_id, tool, now);
        let registered = self.known.servers.get(server_id).is_some_and(|server| server.registered);
        let standing = |rule: &Rule| match &rule.tool {
            _ if !rule.server.matches(server_id) => RuleStanding::OtherServer,
            Some(tool) if !tool_name.is_some_and(|name| tool.matches(name)) => RuleStanding::OtherTool,
            _ if !rule.holds(now) => RuleStanding::Ended,
            _ if registered && !rule.reaches_registered() => RuleStanding::Registered,
            _ if matches!(&decider, Decider::Rule(deciding) if std::ptr::eq(*deciding, rule)) => {
                RuleStanding::Decides
            }
            _ => RuleStanding::Overridden,
        };
        let rules = self.sets_of(agent_id).flat_map(RuleSet::rules);
        let mut rules: Vec<_> =
            rules.map(|rule| (order(rule, standing(rule)), explained(rule, standing(rule)))).collect();
        rules.sort_by(|(one, _), (other, _)| one.cmp(other));
        let unreadable = self.rules.unreadable().iter().filter(|rule| rule.may_be_about(agent_id, server_id));
        let unreadable = unreadable
            .map(|rule| unread(rule, rule.denies(agent_id, server_id, tool_name).is_some(), &decider));
        Explanation {
            rules: unreadable.chain(rules.into_iter().map(|(_, rule)| rule)).collect(),
            judgement: decider.into(),
            default_policy: self.known.servers.get(server_id).map(|server| server.policy),
            has_policy: self.policy.is_some(),
            agent_is_known: self.knows(agent_id, now),
        }
    }
}

/// Returns the key by which rules are sorted.
fn order(rule: &Rule, standing: RuleStanding) -> (bool, bool, Reverse<Rank>, String) {
    let is_elsewhere = matches!(standing, RuleStanding::OtherServer | RuleStanding::OtherTool);
    let role = match &rule.origin {
        RuleOrigin::Entry(entry) => format!("{}\0{:?}", entry.server_id, entry.tool_name),
        RuleOrigin::Role(role, rule) => format!("{role}\0{}\0{:?}", rule.server_id, rule.tool_name),
    };
    (matches!(rule.origin, RuleOrigin::Role(..)), is_elsewhere, Reverse(rule.rank()), role)
}

fn explained(rule: &Rule, standing: RuleStanding) -> ExplainedRule {
    let (role, server_id, tool_name, expires_at) = match &rule.origin {
        RuleOrigin::Entry(entry) => (
            None,
            entry.server_id.clone(),
            entry.tool_name.get().filter(|_| rule.tool.is_some()).cloned(),
            entry.expires_at.get().cloned(),
        ),
        RuleOrigin::Role(role, rule) => {
            (Some(role.to_string()), rule.server_id.clone(), rule.tool_name.clone(), None)
        }
    };
    ExplainedRule {
        role,
        server_id: Some(server_id),
        tool_name,
        permission: Some(rule.decision),
        expires_at,
        standing,
    }
}

fn unread(rule: &UnreadableRule, denies: bool, decider: &Decider<'_>) -> ExplainedRule {
    let standing = match decider {
        Decider::Unreadable(_) if denies => RuleStanding::Decides,
        _ if denies => RuleStanding::Overridden,
        _ => RuleStanding::Unreadable,
    };
    ExplainedRule {
        role: None,
        server_id: rule.server_id.clone(),
        tool_name: rule.tool_name.clone().filter(|tool| !tool.is_empty()),
        permission: rule.permission,
        expires_at: None,
        standing,
    }
}
