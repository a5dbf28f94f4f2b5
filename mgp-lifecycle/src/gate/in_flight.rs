//! The number of calls in flight, and their mean duration.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    time::Duration,
};
use tokio::sync::Notify;

/// The calls in flight to one server.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    count: AtomicUsize,
    idle: Notify,
    /// True once a drain waits until no call is in flight, so that the end of the last call must notify it.
    is_awaited: AtomicBool,
    /// The mean duration of a call in microseconds, in which recent calls weigh most; 0 if no call has ended yet.
    mean: AtomicU64,
}

impl InFlight {
    /// Counts a call that `look` admits. The call is counted before `look` runs, so either the call sees that the
    /// server is draining or the drain sees the call. Both orders are sequentially consistent.
    pub(super) fn enter<E>(&self, look: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        self.count.fetch_add(1, Ordering::SeqCst);
        let looked = look();
        if looked.is_err() {
            self.leave();
        }
        looked
    }

    /// Stops counting a call.
    pub(super) fn leave(&self) {
        if self.count.fetch_sub(1, Ordering::SeqCst) == 1 && self.is_awaited.load(Ordering::SeqCst) {
            self.idle.notify_waiters();
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    /// Adds the duration of a call that ended to the mean.
    pub(super) fn took(&self, duration: Duration) {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX).max(1);
        let mean = self.mean.load(Ordering::Relaxed);
        // Two calls that end at the same time may lose one of the durations; the mean is only an estimate.
        let next = if mean == 0 { micros } else { mean - mean / 8 + micros / 8 };
        self.mean.store(next.max(1), Ordering::Relaxed);
    }

    /// Returns the mean duration of a call, or `None` if no call has ended yet.
    pub(super) fn mean(&self) -> Option<Duration> {
        match self.mean.load(Ordering::Relaxed) {
            0 => None,
            micros => Some(Duration::from_micros(micros)),
        }
    }

    /// Waits until no call is in flight.
    pub(super) async fn idle(&self) {
        self.is_awaited.store(true, Ordering::SeqCst);
        loop {
            let idle = self.idle.notified();
            if self.count() == 0 {
                return;
            }
            idle.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_counts_from_before_the_state_check_until_refusal() {
        let calls = InFlight::default();
        let look = || if calls.count() == 1 { Err("draining") } else { Ok(()) };
        assert_eq!(calls.enter(look), Err("draining"));
        assert_eq!(calls.count(), 0);
    }

    #[test]
    fn the_mean_follows_the_last_calls_and_never_overflows() {
        let calls = InFlight::default();
        assert_eq!(calls.mean(), None);
        calls.took(Duration::from_millis(800));
        assert_eq!(calls.mean(), Some(Duration::from_millis(800)));
        calls.took(Duration::ZERO);
        assert_eq!(calls.mean(), Some(Duration::from_millis(700)));
        for _ in 0..100 {
            calls.took(Duration::MAX);
        }
        assert!(calls.mean() > Some(Duration::from_secs(1_000_000)));
    }
}
