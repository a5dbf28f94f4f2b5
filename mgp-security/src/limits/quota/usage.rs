//! The units that were used on a day, by the rules that count them.

use super::QuotaKey;
use crate::limits::{
    CallUse, LimitRule,
    table::{RuleEntry, RuleTable, find},
};
use mgp_types::context::ToolId;
use std::cmp::Reverse;

/// The units that a subject has used on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedQuota {
    /// The subject.
    pub key: QuotaKey,
    /// The units. [`u64::MAX`] stands for an invalid number, which counts as used up.
    pub units: u64,
}

/// The units that the subjects of one rule have used on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleUsage {
    /// The table of the configuration that has the rule: `agents`, `keys`, `servers` or `tools`.
    pub table: &'static str,
    /// The name of the rule in its table.
    pub name: String,
    /// The subjects that have used the most units, the largest first.
    pub largest: Vec<UsedQuota>,
    /// The number of further subjects that have used units.
    pub more: usize,
}

/// Returns the usage of each rule with a quota, with the `most` largest subjects of each.
///
/// The most precise rule counts a subject, as in [`Quotas`](super::Quotas). Units of subjects that no rule counts any more are left out.
#[must_use]
pub fn rule_usage(rules: &[LimitRule], used: Vec<UsedQuota>, most: usize) -> Vec<RuleUsage> {
    let quotas: Vec<_> = rules.iter().filter_map(|rule| Some((rule, rule.per_day?.get()))).collect();
    let table = RuleTable::new(quotas.iter().enumerate().map(|(at, (rule, _))| ((*rule).clone(), at)));
    let mut of_rules = vec![Vec::new(); quotas.len()];
    for one in used.into_iter().filter(|one| one.units > 0) {
        if let Some(entry) = counting(&table, &one.key) {
            of_rules[entry.of].push(one);
        }
    }
    let usage = |((rule, limit), mut used): (&(&LimitRule, u64), Vec<UsedQuota>)| {
        used.iter_mut().filter(|one| one.units == u64::MAX).for_each(|one| one.units = *limit);
        used.sort_unstable_by(|a, b| (Reverse(a.units), &a.key).cmp(&(Reverse(b.units), &b.key)));
        let more = used.len().saturating_sub(most);
        used.truncate(most);
        RuleUsage { table: rule.table(), name: rule.name(), largest: used, more }
    };
    quotas.iter().zip(of_rules).map(usage).collect()
}

/// Returns the rule that counts a subject.
fn counting<'a>(table: &'a RuleTable<usize>, key: &QuotaKey) -> Option<&'a RuleEntry<usize>> {
    let tool = ToolId::new(key.server.as_str(), key.tool.as_str());
    let used = CallUse { agent: &key.caller, key: Some(&key.caller), tool: &tool };
    // A rule that has changed between separate agents and all agents together counts other subjects.
    let is_counted_alike = |entry: &&RuleEntry<usize>| entry.rule.per_agent != key.caller.is_empty();
    match key.party {
        "agent" => find(&table.agents, &used),
        "key" => find(&table.keys, &used),
        "server" => find(&table.servers, &used).filter(is_counted_alike),
        "tool" => find(&table.tools, &used).filter(is_counted_alike),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::LimitedParty;

    fn rule(party: LimitedParty) -> LimitRule {
        LimitRule::new(party).per_day(100.try_into().unwrap())
    }

    fn used(party: &'static str, names: [&str; 3], units: u64) -> UsedQuota {
        let [caller, server, tool] = names.map(str::to_owned);
        UsedQuota { key: QuotaKey { party, caller, server, tool }, units }
    }

    /// Returns the usage of each rule in words.
    fn shown(rules: &[LimitRule], used: Vec<UsedQuota>, most: usize) -> Vec<String> {
        let usage = rule_usage(rules, used, most).into_iter();
        let words = usage.map(|RuleUsage { table, name, largest, more }| {
            let one = |UsedQuota { key, units }: &UsedQuota| {
                format!(" {}/{}/{}={units}", key.caller, key.server, key.tool)
            };
            format!("{table} {name}:{} +{more}", largest.iter().map(one).collect::<String>())
        });
        words.collect()
    }

    #[test]
    fn the_most_precise_rule_counts_a_subject() {
        let rules = [
            rule(LimitedParty::Agent("*".into())),
            rule(LimitedParty::Agent("ci-*".into())),
            // This rule has no quota, and counts no units.
            LimitRule::new(LimitedParty::Agent("ann".into())).per_minute(1.try_into().unwrap()),
            rule(LimitedParty::Key("laptop".into())),
            rule(LimitedParty::Tool { server: "notes".into(), tool: "add*".into() }),
        ];
        let units = vec![
            used("agent", ["ann", "", ""], 3),
            used("agent", ["ci-1", "", ""], 4),
            used("key", ["laptop", "", ""], 5),
            used("key", ["gone", "", ""], 6),
            used("tool", ["", "notes", "add_note"], 7),
            used("tool", ["", "notes", "list"], 8),
            used("server", ["", "notes", ""], 9),
        ];
        let expected = [
            "agents *: ann//=3 +0",
            "agents ci-*: ci-1//=4 +0",
            "keys laptop: laptop//=5 +0",
            "tools notes__add*: /notes/add_note=7 +0",
        ];
        assert_eq!(shown(&rules, units, 9), expected);
    }

    #[test]
    fn the_largest_subjects_come_first_and_the_others_are_counted() {
        let units = ["a", "b", "c", "d", "e"].into_iter().zip([2, u64::MAX, 0, 7, 2]);
        let units = units.map(|(name, units)| used("agent", [name, "", ""], units)).collect();
        let rules = [rule(LimitedParty::Agent("*".into()))];
        assert_eq!(shown(&rules, units, 3), ["agents *: b//=100 d//=7 a//=2 +1"]);
    }

    #[test]
    fn separate_agents_are_not_mixed_with_all_agents_together() {
        let units = || vec![used("server", ["", "notes", ""], 3), used("server", ["ann", "notes", ""], 2)];
        let together = rule(LimitedParty::Server("notes".into()));
        assert_eq!(shown(std::slice::from_ref(&together), units(), 9), ["servers notes: /notes/=3 +0"]);
        assert_eq!(shown(&[together.per_agent()], units(), 9), ["servers notes: ann/notes/=2 +0"]);
    }
}
