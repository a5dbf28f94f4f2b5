//! The limits in force.

use super::{
    CallUse, LimitRule,
    call_use::OwnedUse,
    counter::Counter,
    lease::{ANSWER, LeaseStore, SharedStore, Shortage},
    refusal::{allowance, too_fast, uncounted},
    table::{RuleEntry, RuleTable, find},
};
use arc_swap::ArcSwap;
use mgp_transport::seam::{Decision, Refusal, ToolCall};
use mgp_types::context::ToolId;
use std::{num::NonZeroU32, sync::Arc};
use tokio::time::{Instant, timeout_at};

/// The limits in force, with their remaining calls. Clones share the limits.
///
/// The calls are counted in memory, or [together](Self::shared) with other kernels.
///
/// If several rules on agents match, the one with the most precise name counts. The same holds for keys, servers and tools: an exact
/// name comes before a pattern, and a pattern with more literal characters before one with fewer.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    rules: Arc<ArcSwap<RuleTable<Counter>>>,
    /// `None` if this kernel counts for itself.
    sharing: Option<Arc<SharedStore>>,
}

/// The kinds of rules that one of the gates asks.
type Kinds = for<'a> fn(&'a RuleTable<Counter>) -> [&'a [RuleEntry<Counter>]; 2];

/// The reason for which a call does not pass.
enum Denial {
    Refused(Refusal),
    /// The store of a shared limit has to be asked.
    Unleased,
}

impl Limits {
    /// Creates limits with these rules.
    #[must_use]
    pub fn new(rules: &[LimitRule]) -> Self {
        let limits = Self::default();
        limits.set_rules(rules);
        limits
    }

    /// Creates limits without rules, which hold for all kernels that use the same store together. A task asks the store until the last clone is
    /// dropped.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn shared(store: Arc<dyn LeaseStore>) -> Self {
        Self { rules: Arc::default(), sharing: Some(SharedStore::start(store)) }
    }

    /// Sets whether this kernel goes on with its part of each shared limit while the store cannot be asked, as one of the kernels that used
    /// it. Otherwise, calls with a limit are refused then.
    pub fn set_trusts_snapshot(&self, trusts: bool) {
        if let Some(sharing) = &self.sharing {
            sharing.set_trusts_snapshot(trusts);
        }
    }

    /// Puts other rules in force. An unchanged rule keeps its remaining calls; any other starts full.
    pub fn set_rules(&self, rules: &[LimitRule]) {
        let before = self.rules.load();
        let limit = |rule: &LimitRule| {
            let known = before.all().find(|known| known.rule.has_rate_of(rule)).map(|known| known.of.clone());
            Some((rule.clone(), known.or_else(|| Counter::new(rule, self.sharing.as_ref()))?))
        };
        self.rules.store(Arc::new(RuleTable::new(rules.iter().filter_map(limit))));
    }

    /// Returns the calls a minute that an agent may make with a key, whatever they call; `None` if neither has a limit.
    #[must_use]
    pub fn calls_a_minute(&self, agent: &str, key: Option<&str>) -> Option<u32> {
        let limits = self.rules.load();
        let nothing = ToolId::new("", "");
        let used = CallUse { agent, key, tool: &nothing };
        let found = [&limits.keys, &limits.agents].into_iter().filter_map(|limits| find(limits, &used));
        found.filter_map(|entry| entry.rule.per_minute).min().map(NonZeroU32::get)
    }

    /// Returns whether there are no limits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.load().is_empty()
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
        let limits = self.rules.load();
        limits.find_all(used).map(|entry| allowance(&entry.rule, entry.of.calls(), used)).collect()
    }

    /// Takes one call from the buckets of the key and the agent.
    pub(super) fn of_caller(&self, call: &ToolCall) -> Decision {
        self.judge(call, |rules| [&rules.keys, &rules.agents])
    }

    /// Takes one call from the buckets of the tool and the server.
    pub(super) fn of_target(&self, call: &ToolCall) -> Decision {
        self.judge(call, |rules| [&rules.tools, &rules.servers])
    }

    fn judge(&self, call: &ToolCall, kinds: Kinds) -> Decision {
        let rules = self.rules.load();
        let limits = kinds(&rules);
        if limits.iter().all(|limits| limits.is_empty()) {
            return Decision::Allow;
        }
        match take(limits, &CallUse::of(call), call.dry_run) {
            Ok(()) => Decision::Allow,
            Err(Denial::Refused(refusal)) => refusal.into(),
            Err(Denial::Unleased) => {
                let decision = self.clone().judge_later(OwnedUse::of(call), kinds, call.dry_run);
                if call.dry_run { Decision::read(decision) } else { Decision::wait(decision) }
            }
        }
    }

    /// Judges a call once the store has answered.
    async fn judge_later(self, used: OwnedUse, kinds: Kinds, dry_run: bool) -> Result<(), Refusal> {
        // Only a shared limit waits for a store.
        let Some(sharing) = &self.sharing else { return Ok(()) };
        let until = Instant::now() + ANSWER;
        let mut answers = sharing.answers();
        loop {
            answers.mark_unchanged();
            {
                let rules = self.rules.load();
                let limits = kinds(&rules);
                match take(limits, &used.borrow(), dry_run) {
                    Ok(()) => return Ok(()),
                    Err(Denial::Refused(refusal)) => return Err(refusal),
                    Err(Denial::Unleased) => ask(limits, &used.borrow(), dry_run),
                }
            }
            if timeout_at(until, answers.changed()).await.is_err() {
                sharing.note_silence();
            }
        }
    }

    /// Returns the number of buckets in use.
    #[cfg(test)]
    pub(super) fn buckets(&self) -> usize {
        self.rules.load().all().map(|limit| limit.of.buckets()).sum()
    }
}

/// Takes a call from the most precise limit of each kind that counts it, or from none if one of them refuses it. The refusal has the
/// longest wait, after which all of them allow the call. For a dry run, the limits are only inspected.
fn take(kinds: [&[RuleEntry<Counter>]; 2], used: &CallUse<'_>, dry_run: bool) -> Result<(), Denial> {
    let found = kinds.map(|limits| find(limits, used));
    let mut longest = None;
    let mut is_unleased = false;
    for entry in found.iter().flatten() {
        match entry.of.look(entry.rule.bucket(used), dry_run) {
            Ok(()) => {}
            Err(Shortage::Unleased) => is_unleased = true,
            Err(Shortage::Away(problem)) => return Err(Denial::Refused(uncounted(&problem))),
            Err(Shortage::Wait(wait)) if longest.is_some_and(|(longest, _)| wait < longest) => {}
            Err(Shortage::Wait(wait)) => longest = Some((wait, entry)),
        }
    }
    if let Some((wait, entry)) = longest {
        return Err(Denial::Refused(too_fast(&entry.rule, entry.of.calls(), used, wait)));
    }
    if is_unleased {
        return Err(Denial::Unleased);
    }
    if dry_run {
        return Ok(());
    }
    let mut made = [None; 2];
    for (at, entry) in found.iter().flatten().enumerate() {
        match entry.of.take(entry.rule.bucket(used)) {
            Ok(taken) => made[at] = taken.map(|taken| (entry, taken)),
            // Another call may have been made in between.
            Err(shortage) => {
                for (entry, taken) in made.into_iter().flatten() {
                    entry.of.put_back(&entry.rule.bucket(used), taken);
                }
                return Err(denial(shortage, entry, used));
            }
        }
    }
    Ok(())
}

fn denial(shortage: Shortage, entry: &RuleEntry<Counter>, used: &CallUse<'_>) -> Denial {
    match shortage {
        Shortage::Unleased => Denial::Unleased,
        Shortage::Away(problem) => Denial::Refused(uncounted(&problem)),
        Shortage::Wait(wait) => Denial::Refused(too_fast(&entry.rule, entry.of.calls(), used, wait)),
    }
}

/// Asks the store for the limits of a call that have no leased call.
fn ask(kinds: [&[RuleEntry<Counter>]; 2], used: &CallUse<'_>, dry_run: bool) {
    for entry in kinds.into_iter().filter_map(|limits| find(limits, used)) {
        let bucket = entry.rule.bucket(used);
        if matches!(entry.of.look(bucket.clone(), dry_run), Err(Shortage::Unleased)) {
            entry.of.ask(&bucket, dry_run);
        }
    }
}
