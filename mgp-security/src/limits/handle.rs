//! The limits in force.

use super::{
    CallUse, LimitRule,
    rate::RateLimit,
    refusal::{allowance, too_fast},
    table::{RuleEntry, RuleTable, find},
};
use arc_swap::ArcSwap;
use mgp_transport::seam::{Refusal, ToolCall};
use mgp_types::context::ToolId;
use std::{num::NonZeroU32, sync::Arc};

/// The limits in force, with their remaining calls. Clones share the limits.
///
/// If several rules on agents match, the one with the most precise name counts. The same holds for keys, servers and tools: an exact
/// name comes before a pattern, and a pattern with more literal characters before one with fewer.
#[derive(Debug, Clone, Default)]
pub struct Limits(Arc<ArcSwap<RuleTable<Arc<RateLimit>>>>);

impl Limits {
    /// Creates limits with these rules.
    #[must_use]
    pub fn new(rules: &[LimitRule]) -> Self {
        let limits = Self::default();
        limits.set_rules(rules);
        limits
    }

    /// Puts other rules in force. An unchanged rule keeps its remaining calls; any other starts full.
    pub fn set_rules(&self, rules: &[LimitRule]) {
        let before = self.0.load();
        let limit = |rule: &LimitRule| {
            let known = before.all().find(|known| known.rule.has_rate_of(rule)).map(|known| known.of.clone());
            Some((rule.clone(), known.or_else(|| RateLimit::new(rule).map(Arc::new))?))
        };
        self.0.store(Arc::new(RuleTable::new(rules.iter().filter_map(limit))));
    }

    /// Returns the calls a minute that an agent may make with a key, whatever they call; `None` if neither has a limit.
    #[must_use]
    pub fn calls_a_minute(&self, agent: &str, key: Option<&str>) -> Option<u32> {
        let limits = self.0.load();
        let nothing = ToolId::new("", "");
        let used = CallUse { agent, key, tool: &nothing };
        let found = [&limits.keys, &limits.agents].into_iter().filter_map(|limits| find(limits, &used));
        found.filter_map(|entry| entry.rule.per_minute).min().map(NonZeroU32::get)
    }

    /// Returns whether there are no limits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.load().is_empty()
    }

    /// Returns a sentence for each limit that counts the calls of a use, the narrower ones first.
    ///
    /// ```
    /// use mgp_security::limits::{CallUse, LimitRule, LimitedParty, Limits};
    /// use mgp_types::context::ToolId;
    ///
    /// let limits = Limits::new(&[LimitRule::new(LimitedParty::Agent("*".into())).per_minute(120.try_into()?)]);
    /// let used = CallUse { agent: "ann", key: None, tool: &ToolId::new("notes", "add_note") };
    /// let expected = r#"limits.agents."*".requests_per_minute allows agent "ann" 120 requests a minute"#;
    /// assert_eq!(limits.sentences(&used), [expected]);
    /// # Ok::<(), std::num::TryFromIntError>(())
    /// ```
    #[must_use]
    pub fn sentences(&self, used: &CallUse<'_>) -> Vec<String> {
        let limits = self.0.load();
        limits.find_all(used).map(|entry| allowance(&entry.rule, entry.of.calls, used)).collect()
    }

    /// Takes one call from the buckets of the key and the agent.
    pub(super) fn of_caller(&self, call: &ToolCall) -> Result<(), Refusal> {
        let limits = self.0.load();
        take([&limits.keys, &limits.agents], call)
    }

    /// Takes one call from the buckets of the tool and the server.
    pub(super) fn of_target(&self, call: &ToolCall) -> Result<(), Refusal> {
        let limits = self.0.load();
        take([&limits.tools, &limits.servers], call)
    }

    /// Returns the number of buckets in use.
    #[cfg(test)]
    pub(super) fn buckets(&self) -> usize {
        self.0.load().all().map(|limit| limit.of.buckets()).sum()
    }
}

/// Takes a call from the most precise limit of each kind that counts it, or from none if one of them refuses it. The refusal has the
/// longest wait, after which all of them allow the call. For a dry run, the limits are only inspected.
fn take(kinds: [&[RuleEntry<Arc<RateLimit>>]; 2], call: &ToolCall) -> Result<(), Refusal> {
    if kinds.iter().all(|limits| limits.is_empty()) {
        return Ok(());
    }
    let used = CallUse::of(call);
    let found = kinds.map(|limits| find(limits, &used));
    let check = |RuleEntry { rule, of: limit, .. }: &RuleEntry<Arc<RateLimit>>, takes| {
        let checked = limit.check(rule.bucket(&used), takes);
        checked.map_err(|wait| (wait, too_fast(rule, limit.calls, &used, wait)))
    };
    let refusals = found.iter().flatten().filter_map(|limit| check(limit, false).err());
    if let Some((_, refusal)) = refusals.max_by_key(|(wait, _)| *wait) {
        return Err(refusal);
    }
    if call.dry_run {
        return Ok(());
    }
    // Another call may have been made in between.
    found.iter().flatten().try_for_each(|limit| check(limit, true).map_err(|(_, refusal)| refusal))
}
