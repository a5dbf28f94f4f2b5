//! Rules by the kind of subject that they count.

use super::{CallUse, LimitRule, LimitedParty, rule::Names};
use std::{cmp::Reverse, fmt};

/// Rules with a value each, by the kind of subject, the most precise first.
pub(super) struct RuleTable<T> {
    pub(super) keys: Vec<RuleEntry<T>>,
    pub(super) agents: Vec<RuleEntry<T>>,
    pub(super) tools: Vec<RuleEntry<T>>,
    pub(super) servers: Vec<RuleEntry<T>>,
}

/// A rule, and its value.
pub(super) struct RuleEntry<T> {
    pub(super) rule: LimitRule,
    names: Names,
    pub(super) of: T,
}

impl<T> RuleTable<T> {
    pub(super) fn new(rules: impl IntoIterator<Item = (LimitRule, T)>) -> Self {
        let mut table = Self::default();
        for (rule, of) in rules {
            let entries = match &rule.party {
                LimitedParty::Agent(_) => &mut table.agents,
                LimitedParty::Key(_) => &mut table.keys,
                LimitedParty::Server(_) => &mut table.servers,
                LimitedParty::Tool { .. } => &mut table.tools,
            };
            entries.push(RuleEntry { names: rule.names(), rule, of });
        }
        for entries in [&mut table.keys, &mut table.agents, &mut table.tools, &mut table.servers] {
            entries.sort_by_key(|entry| Reverse(entry.names.rank()));
        }
        table
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &RuleEntry<T>> {
        [&self.keys, &self.agents, &self.tools, &self.servers].into_iter().flatten()
    }

    /// Returns the rules that count a call, the narrower ones first: at most one for each kind of subject.
    pub(super) fn find_all<'a>(&'a self, used: &CallUse<'_>) -> impl Iterator<Item = &'a RuleEntry<T>> {
        [&self.keys, &self.agents, &self.tools, &self.servers]
            .into_iter()
            .filter_map(|entries| find(entries, used))
    }
}

/// Returns the most precise rule that counts a call.
pub(super) fn find<'a, T>(entries: &'a [RuleEntry<T>], used: &CallUse<'_>) -> Option<&'a RuleEntry<T>> {
    entries.iter().find(|entry| entry.names.matches(&entry.rule, used))
}

impl<T> Default for RuleTable<T> {
    fn default() -> Self {
        Self { keys: Vec::new(), agents: Vec::new(), tools: Vec::new(), servers: Vec::new() }
    }
}

impl<T> fmt::Debug for RuleTable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all().map(|entry| &entry.rule)).finish()
    }
}
