//! The rules of one agent, or of one role, in the order in which they are looked up.

use super::rule::{AllowedUntil, Rule};
use crate::name_pattern::NamePattern;
use hashbrown::HashMap;
use mgp_types::access::AccessDecision;
use std::cmp::Reverse;

/// Rules by server and tool. Rules without a pattern are found by their names, the others in the order of their ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RuleSet {
    servers: HashMap<Box<str>, ServerRules>,
    /// Rules for tools, with a pattern in the name of the tool or of the server; the highest rank first.
    tool_patterns: Vec<Rule>,
    /// Rules for servers, with a pattern; the highest rank first.
    server_patterns: Vec<Rule>,
    allowed: AllowedUntil,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ServerRules {
    server: Option<Rule>,
    tools: HashMap<Box<str>, Rule>,
}

impl FromIterator<Rule> for RuleSet {
    fn from_iter<I: IntoIterator<Item = Rule>>(rules: I) -> Self {
        let mut set = Self::default();
        for rule in rules {
            set.allowed = set.allowed.max(rule.allowed());
            set.add(rule);
        }
        set.tool_patterns.sort_by_key(|rule| Reverse(rule.rank()));
        set.server_patterns.sort_by_key(|rule| Reverse(rule.rank()));
        set
    }
}

impl RuleSet {
    fn add(&mut self, rule: Rule) {
        match (&rule.server, &rule.tool) {
            (NamePattern::Exact(server), None) => {
                let own = &mut self.servers.entry(server.clone()).or_default().server;
                if own.as_ref().is_none_or(allows) {
                    *own = Some(rule);
                }
            }
            (NamePattern::Exact(server), Some(NamePattern::Exact(tool))) => {
                let tools = &mut self.servers.entry(server.clone()).or_default().tools;
                if tools.get(tool).is_none_or(allows) {
                    tools.insert(tool.clone(), rule);
                }
            }
            (_, Some(_)) => self.tool_patterns.push(rule),
            (_, None) => self.server_patterns.push(rule),
        }
    }

    /// Returns the first matching rule for a tool that satisfies `counts`.
    pub(super) fn of_tool(
        &self,
        server_id: &str,
        tool_name: &str,
        counts: impl Fn(&Rule) -> bool,
    ) -> Option<&Rule> {
        let exact = || self.servers.get(server_id)?.tools.get(tool_name).filter(|rule| counts(rule));
        let is_about = |rule: &&Rule| {
            rule.server.matches(server_id) && rule.tool.as_ref().is_some_and(|tool| tool.matches(tool_name))
        };
        exact().or_else(|| self.tool_patterns.iter().find(|rule| is_about(rule) && counts(rule)))
    }

    /// Returns the first matching rule for a server that satisfies `counts`.
    pub(super) fn of_server(&self, server_id: &str, counts: impl Fn(&Rule) -> bool) -> Option<&Rule> {
        let exact = || self.servers.get(server_id)?.server.as_ref().filter(|rule| counts(rule));
        let is_about = |rule: &&Rule| rule.server.matches(server_id);
        exact().or_else(|| self.server_patterns.iter().find(|rule| is_about(rule) && counts(rule)))
    }

    /// Returns the names of tools in the rules that are about a server.
    pub(super) fn tools(&self, server_id: &str) -> impl Iterator<Item = &NamePattern> {
        let exact = self.servers.get(server_id).into_iter().flat_map(|rules| rules.tools.values());
        let patterns = self.tool_patterns.iter().filter(move |rule| rule.server.matches(server_id));
        exact.chain(patterns).filter_map(|rule| rule.tool.as_ref())
    }

    /// Returns whether a rule is about a server or its tools.
    pub(super) fn is_about(&self, server_id: &str) -> bool {
        let mut patterns = self.tool_patterns.iter().chain(&self.server_patterns);
        self.servers.contains_key(server_id) || patterns.any(|rule| rule.server.matches(server_id))
    }

    /// Returns every rule.
    pub(super) fn rules(&self) -> impl Iterator<Item = &Rule> {
        let exact = self.servers.values().flat_map(|rules| rules.server.iter().chain(rules.tools.values()));
        exact.chain(&self.tool_patterns).chain(&self.server_patterns)
    }

    /// Returns the time until which a rule allows anything at all.
    pub(super) fn allowed(&self) -> AllowedUntil {
        self.allowed
    }
}

/// Returns whether a rule allows, and so yields to a denial with the same names.
fn allows(rule: &Rule) -> bool {
    rule.decision == AccessDecision::Allow
}
