//! The health of the trail: its outages, and the events and calls that they affected.

use crate::audit::AuditError;
use jiff::Timestamp;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The health of the trail. While the trail is healthy, a caller reads only one flag.
#[derive(Debug, Default)]
pub(super) struct Health {
    failing: AtomicBool,
    /// True while no event reports an outage that occurred.
    untold: AtomicBool,
    outage: Mutex<Option<Outage>>,
}

/// A period in which events could not be stored.
#[derive(Debug, Clone)]
pub(super) struct Outage {
    pub(super) since: Timestamp,
    /// The latest reason.
    pub(super) reason: String,
    /// The number of events that failed to be stored. Their callers got an error.
    pub(super) events_failed: u64,
    /// The number of calls that were refused before they were made.
    pub(super) calls_refused: u64,
}

impl Health {
    /// Returns whether the last write failed, or takes too long.
    pub(super) fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Acquire)
    }

    /// Returns whether there is an outage that no event reports yet, even if it has ended.
    pub(super) fn is_untold(&self) -> bool {
        self.untold.load(Ordering::Acquire)
    }

    /// Notes that a write of `events` events failed, or that a write takes too long.
    pub(super) fn fails(&self, reason: &str, events: usize) {
        let mut slot = self.outage.lock();
        let outage = slot.get_or_insert_with(|| Outage {
            since: Timestamp::now(),
            reason: String::new(),
            events_failed: 0,
            calls_refused: 0,
        });
        reason.clone_into(&mut outage.reason);
        outage.events_failed += events as u64;
        self.untold.store(true, Ordering::Release);
        if !self.failing.swap(true, Ordering::AcqRel) {
            tracing::error!(reason, "the audit trail cannot be written: calls are refused until it can be");
        }
    }

    /// Refuses a call while events cannot be stored, and counts the refusal.
    pub(super) fn admit(&self) -> Result<(), AuditError> {
        if !self.is_failing() {
            return Ok(());
        }
        let mut slot = self.outage.lock();
        // Read again under the lock: a call that is refused after the end of the outage would appear in no event.
        match slot.as_mut().filter(|_| self.is_failing()) {
            None => Ok(()),
            Some(outage) => {
                outage.calls_refused += 1;
                Err(AuditError::new(&outage.reason))
            }
        }
    }

    /// Returns the outage that no event reports yet.
    pub(super) fn untold(&self) -> Option<Outage> {
        if self.is_untold() { self.outage.lock().clone() } else { None }
    }

    /// Ends the outage. The failures and refusals in `told` are reported by an event; those that came since then are still to be reported.
    pub(super) fn works(&self, told: &Outage) {
        let mut slot = self.outage.lock();
        let Some(outage) = slot.as_mut() else { return };
        outage.events_failed -= told.events_failed;
        outage.calls_refused -= told.calls_refused;
        if self.failing.swap(false, Ordering::AcqRel) {
            let (since, events, calls) = (told.since, told.events_failed, told.calls_refused);
            tracing::warn!(%since, events_failed = events, calls_refused = calls, "the audit trail is written again");
        }
        if !outage.says_something() {
            *slot = None;
            self.untold.store(false, Ordering::Release);
        }
    }
}

impl Outage {
    /// Returns whether the outage has failures or refusals that an event must report.
    pub(super) fn says_something(&self) -> bool {
        self.events_failed > 0 || self.calls_refused > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_is_reported_until_all_refused_calls_are() {
        let health = Health::default();
        health.admit().unwrap();
        health.fails("full", 0);
        assert!(!health.untold().unwrap().says_something(), "nobody has noticed it");
        for _ in 0..2 {
            assert!(health.admit().is_err());
        }
        let told = health.untold().unwrap();
        assert!(told.says_something() && (told.events_failed, told.calls_refused) == (0, 2));
        assert!(health.admit().is_err());
        health.works(&told);
        assert!(!health.is_failing() && health.is_untold(), "the last refusal is not told yet");
        let told = health.untold().unwrap();
        assert_eq!((told.events_failed, told.calls_refused), (0, 1));
        health.works(&told);
        assert!(!health.is_untold() && health.untold().is_none());
    }

    #[test]
    fn an_outage_is_reported_with_the_events_it_lost() {
        let health = Health::default();
        health.fails("full", 3);
        let told = health.untold().unwrap();
        assert!(told.says_something() && (told.events_failed, told.calls_refused) == (3, 0));
        health.works(&told);
        assert!(!health.is_untold());
    }
}
