//! The limits in force.

use super::{
    CallUse, LimitRule,
    rate::RateLimit,
    refusal::too_fast,
    table::{RuleEntry, RuleTable, find},
};
use arc_swap::ArcSwap;
use mgp_transport::seam::{Refusal, ToolCall};
use std::sync::Arc;

/// The limits in force, with what is left of them. Clones are the same limits.
///
/// Of several rules on agents that match one, the one with the most precise name counts, and so for keys, servers and tools: an exact name
/// before a pattern, and a pattern with more characters beside its `*` before one with fewer.
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

    /// Puts other rules in force. A rule that was there before, with the same numbers, keeps what is left of it; any other starts full.
    pub fn set_rules(&self, rules: &[LimitRule]) {
        let before = self.0.load();
        let limit = |rule: &LimitRule| {
            let known = before.all().find(|known| known.rule.has_rate_of(rule)).map(|known| known.of.clone());
            Some((rule.clone(), known.or_else(|| RateLimit::new(rule).map(Arc::new))?))
        };
        self.0.store(Arc::new(RuleTable::new(rules.iter().filter_map(limit))));
    }

    /// Returns whether there are no limits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.load().is_empty()
    }

    /// Takes one call from the buckets of the key and the agent.
    pub(super) fn of_caller(&self, call: &ToolCall) -> Result<(), Refusal> {
        let limits = self.0.load();
        // The narrower one first: what it refuses costs the wider one nothing.
        take(&limits.keys, call)?;
        take(&limits.agents, call)
    }

    /// Takes one call from the buckets of the tool and the server.
    pub(super) fn of_target(&self, call: &ToolCall) -> Result<(), Refusal> {
        let limits = self.0.load();
        take(&limits.tools, call)?;
        take(&limits.servers, call)
    }

    /// Returns the number of buckets in use.
    #[cfg(test)]
    pub(super) fn buckets(&self) -> usize {
        self.0.load().all().map(|limit| limit.of.buckets()).sum()
    }
}

/// Takes a call from the most precise limit that counts it. A dry run is only looked at.
fn take(limits: &[RuleEntry<Arc<RateLimit>>], call: &ToolCall) -> Result<(), Refusal> {
    if limits.is_empty() {
        return Ok(());
    }
    let used = CallUse::of(call);
    let Some(RuleEntry { rule, of: limit, .. }) = find(limits, &used) else { return Ok(()) };
    limit.check(rule.bucket(&used), !call.dry_run).map_err(|wait| too_fast(rule, limit.calls, &used, wait))
}
