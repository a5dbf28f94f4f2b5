//! The count of requests that need a server.

use std::time::Duration;
use tokio::{sync::watch, time::Instant};

/// The count of requests that need a server, from before the server is started for them until they end. Clones share the count.
#[derive(Debug, Clone)]
pub struct Demand(watch::Sender<Use>);

#[derive(Debug, Clone, Copy)]
struct Use {
    count: usize,
    /// The time at which the last request ended.
    last: Instant,
    /// The number of requests so far.
    come: u64,
    /// The number of requests when the last attempt to start the server failed.
    come_before_attempt: u64,
}

/// A request that needs a server, until this value is dropped.
#[derive(Debug)]
pub struct DemandGuard(Demand);

impl Default for Demand {
    fn default() -> Self {
        Self(watch::Sender::new(Use { count: 0, last: Instant::now(), come: 0, come_before_attempt: 0 }))
    }
}

impl Demand {
    /// Counts a request.
    #[must_use]
    pub fn enter(&self) -> DemandGuard {
        self.0.send_if_modified(|used| {
            used.count += 1;
            used.come = used.come.wrapping_add(1);
            // A waiter that subscribes later reads the new count first.
            self.0.receiver_count() > 0
        });
        DemandGuard(self.clone())
    }

    /// Returns whether no request needs the server.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.borrow().count == 0
    }

    /// Returns the time since the last request ended; zero while one is counted.
    #[must_use]
    pub fn unused_for(&self) -> Duration {
        let used = *self.0.borrow();
        if used.count > 0 { Duration::ZERO } else { used.last.elapsed() }
    }

    /// Waits until a request needs the server.
    pub async fn needed(&self) {
        // The sender lives as long as this value does.
        let _ = self.0.subscribe().wait_for(|used| used.count > 0).await;
    }

    /// Records that an attempt to start the server failed, for all requests so far.
    pub fn note_failed_attempt(&self) {
        self.0.send_if_modified(|used| {
            used.come_before_attempt = used.come;
            false
        });
    }

    /// Waits until a request arrives after the last failed attempt to start the server. Earlier requests cause no further attempt, however
    /// long they wait.
    pub async fn needed_again(&self) {
        // The sender lives as long as this value does.
        let _ = self.0.subscribe().wait_for(|used| used.come != used.come_before_attempt).await;
    }
}

impl Drop for DemandGuard {
    fn drop(&mut self) {
        self.0.0.send_if_modified(|used| {
            used.count -= 1;
            if used.count == 0 {
                used.last = Instant::now();
            }
            // Nothing waits for the end of a request.
            false
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test(start_paused = true)]
    async fn a_server_is_unused_from_the_end_of_the_last_request() {
        let demand = Demand::default();
        let (first, second) = (demand.enter(), demand.enter());
        tokio::time::advance(Duration::from_secs(5)).await;
        drop(first);
        assert_eq!((demand.is_none(), demand.unused_for()), (false, Duration::ZERO));
        drop(second);
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!((demand.is_none(), demand.unused_for()), (true, Duration::from_secs(2)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiter_is_woken_by_the_first_request() {
        let demand = Demand::default();
        let waiting = demand.clone();
        let woken = tokio::spawn(async move { waiting.needed().await });
        tokio::task::yield_now().await;
        assert!(!woken.is_finished());
        let _request = demand.enter();
        woken.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_attempt_is_repeated_only_by_the_next_request() {
        let demand = Demand::default();
        let _met_it = demand.enter();
        assert!(demand.needed_again().now_or_never().is_some(), "no attempt has failed yet");
        demand.note_failed_attempt();
        assert!(demand.needed_again().now_or_never().is_none());
        let waiting = demand.clone();
        let woken = tokio::spawn(async move { waiting.needed_again().await });
        tokio::task::yield_now().await;
        assert!(!woken.is_finished());
        // Also a request that has ended meanwhile.
        drop(demand.enter());
        woken.await.unwrap();
    }
}
