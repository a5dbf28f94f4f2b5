//! Requests over HTTP that were turned away before they reached a session: counted, and recorded once a second, so that a flood of
//! them neither fills the trail nor is left out of it.

use super::core::Core;
use mgp_security::audit::EventDraft;
use mgp_transport::http::server::Denial;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::Principal,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The type of the event that records them.
const AUTHENTICATION_FAILED: &str = "dev.cloto.mgp.AUTHENTICATION_FAILED";

/// The time for which requests are counted before there is an event of them.
const WINDOW: Duration = Duration::from_secs(1);

/// The number of callers that are told apart at once; the others are counted together.
const MAX_CALLERS: usize = 64;

/// Requests that were turned away and have no event yet.
#[derive(Debug, Default)]
pub(super) struct Denials(Mutex<BTreeMap<Key, u64>>);

/// The reason, and the caller's id where it is known.
type Key = (&'static str, Option<String>);

impl Denials {
    /// Counts a request. Returns whether it is the first since the last event.
    fn count(&self, denial: &Denial) -> bool {
        let mut counts = self.lock();
        let first = counts.is_empty();
        let caller = denial.principal.as_ref().map(|principal| principal.id().to_owned());
        let key = (denial.reason.as_str(), caller);
        let key = if counts.len() < MAX_CALLERS || counts.contains_key(&key) { key } else { (key.0, None) };
        *counts.entry(key).or_default() += 1;
        first
    }

    /// Takes what has no event yet.
    fn take(&self) -> BTreeMap<Key, u64> {
        std::mem::take(&mut *self.lock())
    }

    /// Gives back what could not be recorded.
    fn give_back(&self, key: Key, count: u64) {
        *self.lock().entry(key).or_default() += count;
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Key, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Core {
    /// Counts a request that was turned away, and has it recorded within a second.
    pub(super) fn denied(self: &Arc<Self>, denial: &Denial) {
        if !self.denials.count(denial) {
            return;
        }
        let core = Arc::downgrade(self);
        tokio::spawn(async move {
            // Until there is nothing to record: what a full disk refuses is told later.
            loop {
                tokio::time::sleep(WINDOW).await;
                let Some(core) = core.upgrade() else { return };
                if core.record_denials().await {
                    return;
                }
            }
        });
    }

    /// Records the requests that were turned away. Returns whether all of them are in the trail.
    pub(super) async fn record_denials(&self) -> bool {
        let mut all = true;
        for (key, count) in self.denials.take() {
            let caller = Principal::agent(key.1.as_deref().unwrap_or("unauthenticated"));
            let event = EventDraft::new(AuditEventType::from(AUTHENTICATION_FAILED), &caller)
                .result(AuditResult::Blocked)
                .detail("reason", key.0)
                .detail("count", &count);
            if self.sink.record(event.finish()).await.is_err() {
                self.denials.give_back(key, count);
                all = false;
            }
        }
        all
    }
}
