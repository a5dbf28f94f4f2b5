//! The quotas in force.

use super::{
    QuotaDay, QuotaKey, QuotaShare, QuotaStore, SpendOutcome,
    refusal::{exhausted, unusable},
};
use crate::{
    limits::{
        CallUse, LimitRule, LimitedParty,
        table::{RuleEntry, RuleTable, find},
    },
    name_pattern::NamePattern,
};
use arc_swap::ArcSwap;
use jiff::{Timestamp, civil::Date};
use mgp_transport::seam::{Refusal, ToolCall};
use mgp_types::{context::ToolId, tool_check::ToolQuota};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

/// The quotas in force, and the store of their used units. Clones share the quotas.
///
/// Of several rules that match, the most precise one counts, as in [`Limits`](crate::limits::Limits).
#[derive(Clone)]
pub struct Quotas {
    sets: Arc<ArcSwap<QuotaSets>>,
    store: Arc<dyn QuotaStore>,
    clock: fn() -> Timestamp,
}

/// The units that calls of some tools spend. In the names, `*` stands for any text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostRule {
    /// The server.
    pub server: Arc<str>,
    /// The tool.
    pub tool: Arc<str>,
    /// The units that a call spends.
    pub units: u32,
}

#[derive(Debug, Default)]
struct QuotaSets {
    rules: RuleTable<u64>,
    /// The most precise first.
    costs: Vec<(NamePattern, NamePattern, u32)>,
}

/// The units that a call spends, and the quotas that it spends them from.
#[derive(Debug)]
pub(super) struct CallCost {
    pub(super) shares: Vec<QuotaShare>,
    pub(super) units: u64,
    /// For each share, the configuration key that allows it, and its subject in words.
    pub(super) named: Vec<(String, String)>,
    day: Date,
    pub(super) now: Timestamp,
    pub(super) resets_at: Timestamp,
}

impl fmt::Debug for Quotas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Quotas").field("store", &self.store).finish_non_exhaustive()
    }
}

impl Quotas {
    /// Creates quotas without rules.
    #[must_use]
    pub fn new(store: Arc<dyn QuotaStore>) -> Self {
        Self { sets: Arc::default(), store, clock: Timestamp::now }
    }

    /// Sets the clock.
    #[cfg(test)]
    pub(super) fn at(self, clock: fn() -> Timestamp) -> Self {
        Self { clock, ..self }
    }

    /// Puts other rules in force. Units that were used today stay used, whatever their rule allows.
    pub fn set_rules(&self, rules: &[LimitRule], costs: &[CostRule]) {
        let limits = rules.iter().filter_map(|rule| Some((rule.clone(), rule.per_day?.get())));
        let mut costs: Vec<_> = costs
            .iter()
            .map(|cost| (NamePattern::new(&cost.server), NamePattern::new(&cost.tool), cost.units))
            .collect();
        costs.sort_by_key(|(server, tool, _)| Reverse((tool.precision(), server.precision())));
        self.sets.store(Arc::new(QuotaSets { rules: RuleTable::new(limits), costs }));
    }

    /// Returns whether there are no quotas.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.load().rules.is_empty()
    }

    /// Returns the units that a call of a tool spends: those of the rules, 1 without any, and at least those that its server `claims`.
    #[must_use]
    pub fn cost(&self, tool: &ToolId, claimed: u32) -> u64 {
        self.sets.load().cost(tool, claimed)
    }

    /// Returns the spending of a call; `None` if no quota counts it.
    pub(super) fn spending(&self, call: &ToolCall) -> Option<CallCost> {
        let of_call = CallUse::of(call);
        self.spending_of(&of_call, call.profile.claimed_units)
    }

    fn spending_of(&self, used: &CallUse<'_>, claimed: u32) -> Option<CallCost> {
        let sets = self.sets.load();
        if sets.rules.is_empty() {
            return None;
        }
        let units = sets.cost(used.tool, claimed);
        let found: Vec<_> = sets.rules.find_all(used).collect();
        if found.is_empty() || units == 0 {
            return None;
        }
        let now = (self.clock)();
        let QuotaDay { date: day, resets_at } = QuotaDay::of(now);
        Some(CallCost {
            shares: found.iter().map(|entry| QuotaShare { key: key(entry, used), limit: entry.of }).collect(),
            named: found
                .iter()
                .map(|entry| (format!("{}.units_per_day", entry.rule.key()), entry.rule.subject(used)))
                .collect(),
            units,
            day,
            now,
            resets_at,
        })
    }

    /// Refuses a call whose quotas have too little left. Returns the rest of the quota with the least left.
    pub(super) async fn look(&self, spending: CallCost) -> Result<Option<ToolQuota>, Refusal> {
        let keys = spending.shares.iter().map(|share| share.key.clone()).collect();
        let used = self.store.used(spending.day, keys).await.map_err(|error| unusable(&error))?;
        let too_much = |(_, (share, used)): &(usize, (&QuotaShare, u64))| {
            used.saturating_add(spending.units) > share.limit
        };
        match spending.shares.iter().zip(used.iter().copied()).enumerate().find(too_much) {
            Some((at, (_, used))) => Err(exhausted(&spending, at, used)),
            None => Ok(spending.least(used)),
        }
    }

    /// Spends the units of a call.
    pub(super) async fn spend(&self, spending: &CallCost) -> Result<(), Refusal> {
        let spent = self.store.spend(spending.day, spending.shares.clone(), spending.units).await;
        match spent.map_err(|error| unusable(&error))? {
            SpendOutcome::Spent => Ok(()),
            SpendOutcome::Exhausted { at, used } => Err(exhausted(spending, at, used)),
        }
    }

    /// Gives back the units of a call that reached no server.
    pub(super) async fn give_back(&self, spent: CallCost) {
        let keys = spent.shares.into_iter().map(|share| share.key).collect();
        if let Err(error) = self.store.give_back(spent.day, keys, spent.units).await {
            tracing::warn!(%error, units = spent.units, "the units of a call that reached no server stay spent");
        }
    }

    /// Returns the units a day that an agent may spend with a key, whatever it calls; `None` if neither has a quota.
    #[must_use]
    pub fn units_a_day(&self, agent: &str, key: Option<&str>) -> Option<u64> {
        let sets = self.sets.load();
        let nothing = ToolId::new("", "");
        let used = CallUse { agent, key, tool: &nothing };
        let found = [&sets.rules.keys, &sets.rules.agents].into_iter().filter_map(|rules| find(rules, &used));
        found.map(|entry| entry.of).min()
    }

    /// Returns, for each tool with the units that its server claims, the rest of the quota that leaves a caller the fewest calls; `None`
    /// if no quota counts the tool, or if the store cannot be read.
    pub async fn remaining(
        &self,
        agent: &str,
        key: Option<&str>,
        tools: &[(ToolId, u32)],
    ) -> Vec<Option<ToolQuota>> {
        let spend =
            |(tool, claimed): &(ToolId, u32)| self.spending_of(&CallUse { agent, key, tool }, *claimed);
        let spendings: Vec<_> = tools.iter().map(spend).collect();
        let Some(day) = spendings.iter().flatten().map(|spending| spending.day).next() else {
            return vec![None; tools.len()];
        };
        let shares = spendings.iter().flatten().flat_map(|spending| &spending.shares);
        let keys: BTreeSet<_> = shares.map(|share| share.key.clone()).collect();
        let keys: Vec<_> = keys.into_iter().collect();
        let Ok(used) = self.store.used(day, keys.clone()).await else { return vec![None; tools.len()] };
        let used: BTreeMap<_, _> = keys.into_iter().zip(used).collect();
        let of_share = |share: &QuotaShare| used.get(&share.key).copied().unwrap_or(0);
        let least = |spending: Option<CallCost>| {
            let spending = spending?;
            spending.least(spending.shares.iter().map(of_share))
        };
        spendings.into_iter().map(least).collect()
    }
}

impl CallCost {
    /// Returns the rest of the quota with the least left. `used` are the used units of each share.
    fn least(&self, used: impl IntoIterator<Item = u64>) -> Option<ToolQuota> {
        let left = |(share, used): (&QuotaShare, u64)| (share.limit.saturating_sub(used), share.limit);
        let (remaining, limit) = self.shares.iter().zip(used).map(left).min()?;
        Some(ToolQuota { remaining, limit, cost: self.units, resets_at: self.resets_at.to_string() })
    }
}

impl QuotaSets {
    fn cost(&self, tool: &ToolId, claimed: u32) -> u64 {
        let is_about = |(server, name, _): &&(NamePattern, NamePattern, u32)| {
            server.matches(&tool.server_id) && name.matches(&tool.tool_name)
        };
        let configured = self.costs.iter().find(is_about).map_or(1, |(_, _, units)| *units);
        u64::from(configured.max(claimed))
    }
}

/// Returns the subject of a call that a rule counts.
fn key(entry: &RuleEntry<u64>, used: &CallUse<'_>) -> QuotaKey {
    let of = |party, caller: &str, server: &str, tool: &str| QuotaKey {
        party,
        caller: caller.to_owned(),
        server: server.to_owned(),
        tool: tool.to_owned(),
    };
    let agent = if entry.rule.per_agent { used.agent } else { "" };
    match &entry.rule.party {
        LimitedParty::Agent(_) => of("agent", used.agent, "", ""),
        LimitedParty::Key(_) => of("key", used.key.unwrap_or_default(), "", ""),
        LimitedParty::Server(_) => of("server", agent, &used.tool.server_id, ""),
        LimitedParty::Tool { .. } => of("tool", agent, &used.tool.server_id, &used.tool.tool_name),
    }
}
