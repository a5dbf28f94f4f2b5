//! HTTP requests that were rejected before they reached a session. They are counted, and recorded once a second, so that a flood
//! of them neither fills the trail nor is missing from it.

use super::trail::Trail;
use mgp_security::audit::EventDraft;
use mgp_transport::http::server::Denial;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::Principal,
};
use parking_lot::Mutex;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::task::JoinHandle;

/// The type of the event that records such requests.
const AUTHENTICATION_FAILED: &str = "dev.cloto.mgp.AUTHENTICATION_FAILED";

/// The time for which requests are counted before their event.
const WINDOW: Duration = Duration::from_secs(1);

/// The maximum number of callers that are counted separately; the others are counted together.
const MAX_CALLERS: usize = 64;

/// Rejected requests without an event.
#[derive(Debug, Default)]
pub(crate) struct Denials {
    state: Mutex<State>,
    /// Held while counts are recorded, so that the end of the trail waits for the counts that the recorder has taken.
    recording: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    counts: BTreeMap<Key, u64>,
    /// The task that records the requests, until there are none left.
    recorder: Option<JoinHandle<()>>,
}

/// The reason, and the caller's id if known.
type Key = (&'static str, Option<String>);

impl Denials {
    /// Counts a request, and starts the task that records it unless one is running.
    fn count(&self, key: Key, start: impl FnOnce() -> JoinHandle<()>) {
        let mut state = self.state.lock();
        state.add(key, 1);
        // A task that panicked counts as finished.
        if state.recorder.as_ref().is_none_or(JoinHandle::is_finished) {
            state.recorder = Some(start());
        }
    }

    /// Takes the counts without an event.
    fn take(&self) -> BTreeMap<Key, u64> {
        std::mem::take(&mut self.state.lock().counts)
    }

    /// Returns a count that could not be recorded.
    fn give_back(&self, key: Key, count: u64) {
        self.state.lock().add(key, count);
    }

    /// Removes the recorder if nothing is left to record, so that the next request starts another one. Returns whether it did.
    fn end_recorder(&self) -> bool {
        let mut state = self.state.lock();
        let ends = state.counts.is_empty();
        if ends {
            state.recorder = None;
        }
        ends
    }
}

impl State {
    /// Adds to a count. Callers beyond the maximum number are counted together.
    fn add(&mut self, key: Key, count: u64) {
        let is_told_apart = self.counts.len() < MAX_CALLERS || self.counts.contains_key(&key);
        let key = if is_told_apart { key } else { (key.0, None) };
        *self.counts.entry(key).or_default() += count;
    }
}

impl Trail {
    /// Counts a rejected request, which is recorded within a second.
    pub(crate) fn denied(self: &Arc<Self>, denial: &Denial) {
        let caller = denial.principal.as_ref().map(|principal| principal.id().to_owned());
        let trail = Arc::downgrade(self);
        self.denials.count((denial.reason.as_str(), caller), || {
            tokio::spawn(async move {
                // Runs until there is nothing to record: counts that a full disk prevents are recorded later.
                loop {
                    tokio::time::sleep(WINDOW).await;
                    let Some(trail) = trail.upgrade() else { return };
                    trail.record_denials().await;
                    if trail.denials.end_recorder() {
                        return;
                    }
                }
            })
        });
    }

    /// Records the rejected requests. Those that cannot be recorded are kept.
    pub(crate) async fn record_denials(&self) {
        let _turn = self.denials.recording.lock().await;
        let mut is_recorded = true;
        for (key, count) in self.denials.take() {
            let caller = Principal::agent(key.1.as_deref().unwrap_or("unauthenticated"));
            let event = EventDraft::new(AuditEventType::from(AUTHENTICATION_FAILED), &caller)
                .result(AuditResult::Blocked)
                .detail("reason", key.0)
                .detail("count", &count);
            // After the first failure, the others are kept without an attempt.
            is_recorded = is_recorded && self.sink.record(event.finish()).await.is_ok();
            if !is_recorded {
                self.denials.give_back(key, count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use mgp_security::audit::{AuditError, AuditSink, StoreFuture};
    use mgp_types::audit::AuditEvent;
    use std::cell::Cell;
    use tokio::sync::oneshot;
    use xtask_testing::until;

    const KEY: Key = ("wrong_key", None);

    #[tokio::test]
    async fn counts_during_a_recording_are_recorded_by_the_same_task() {
        let (denials, started) = (Denials::default(), Cell::new(0));
        let start = || {
            started.set(started.get() + 1);
            tokio::spawn(std::future::pending())
        };
        denials.count(KEY, start);
        denials.count(KEY, start);
        assert_eq!((started.get(), denials.take()), (1, BTreeMap::from([(KEY, 2)])));
        // It waits for the trail.
        denials.count(KEY, start);
        assert_eq!(started.get(), 1);
        denials.give_back(KEY, 2);
        assert!(!denials.end_recorder());
        assert_eq!(denials.take(), BTreeMap::from([(KEY, 3)]));
        assert!(denials.end_recorder());
        denials.count(KEY, start);
        assert_eq!(started.get(), 2);
    }

    /// A sink that stores an event when its sender says so.
    #[derive(Debug, Default)]
    struct HoldingSink(Mutex<Vec<oneshot::Sender<Result<(), AuditError>>>>);

    impl AuditSink for HoldingSink {
        fn record(&self, _: AuditEvent) -> StoreFuture {
            let (store, stored) = oneshot::channel();
            self.0.lock().push(store);
            StoreFuture::waiting(stored)
        }
    }

    #[tokio::test]
    async fn closing_the_trail_waits_for_counts_that_are_being_recorded() {
        let sink = Arc::new(HoldingSink::default());
        let trail = Trail::new(sink.clone(), None, None, true);
        trail.denials.count(KEY, || tokio::spawn(std::future::pending()));
        let mut recording = Box::pin(trail.record_denials());
        assert!(recording.as_mut().now_or_never().is_none());
        assert!(trail.flush().now_or_never().is_none());
        sink.0.lock().remove(0).send(Ok(())).unwrap();
        recording.await;
        trail.flush().await;
    }

    #[tokio::test]
    async fn counts_are_kept_untried_after_the_trail_fails_once() {
        let sink = Arc::new(HoldingSink::default());
        let trail = Trail::new(sink.clone(), None, None, true);
        let counts = BTreeMap::from([(KEY, 1), (("no_key", None), 1)]);
        for key in counts.keys() {
            trail.denials.count(key.clone(), || tokio::spawn(std::future::pending()));
        }
        let mut recording = Box::pin(trail.record_denials());
        assert!(recording.as_mut().now_or_never().is_none());
        sink.0.lock().remove(0).send(Err(AuditError::new("the disk is full"))).unwrap();
        recording.as_mut().now_or_never().expect("nothing else is tried");
        assert_eq!(trail.denials.take(), counts);
    }

    #[tokio::test]
    async fn a_task_that_panicked_is_replaced() {
        let denials = Denials::default();
        denials.count(KEY, || tokio::spawn(async {}));
        let has_ended = || denials.state.lock().recorder.as_ref().is_some_and(JoinHandle::is_finished);
        until(has_ended).await;
        denials.count(KEY, || tokio::spawn(std::future::pending()));
        assert!(denials.state.lock().recorder.as_ref().is_some_and(|recorder| !recorder.is_finished()));
    }

    #[tokio::test]
    async fn returned_counts_are_bounded() {
        let denials = Denials::default();
        let key = |number: usize| ("wrong_key", Some(number.to_string()));
        for round in 0..5 {
            let taken = denials.take();
            for number in 0..MAX_CALLERS {
                denials.count(key(round * MAX_CALLERS + number), || tokio::spawn(std::future::pending()));
            }
            for (key, count) in taken {
                denials.give_back(key, count);
            }
        }
        let counts = denials.take();
        assert_eq!(counts.values().sum::<u64>(), 5 * MAX_CALLERS as u64);
        assert!(counts.len() <= MAX_CALLERS + 1, "{}", counts.len());
    }
}
