//! The count of requests that need a server.

use std::time::Duration;
use tokio::{sync::watch, time::Instant};

/// The count of requests that need a server, from before the server is started for them until they end. Clones share the count.
#[derive(Debug, Clone)]
pub struct Demand(watch::Sender<Use>);

#[derive(Debug, Clone, Copy)]
struct Use {
    count: usize,
    /// The time at which the last request began or ended.
    last: Instant,
}

/// A request that needs a server, until this value is dropped.
#[derive(Debug)]
pub struct DemandGuard(Demand);

impl Default for Demand {
    fn default() -> Self {
        Self(watch::Sender::new(Use { count: 0, last: Instant::now() }))
    }
}

impl Demand {
    /// Counts a request.
    #[must_use]
    pub fn enter(&self) -> DemandGuard {
        self.0.send_modify(|used| *used = Use { count: used.count + 1, last: Instant::now() });
        DemandGuard(self.clone())
    }

    /// Returns whether no request needs the server.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.borrow().count == 0
    }

    /// Returns the time since the last request began or ended; zero while one is counted.
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
}

impl Drop for DemandGuard {
    fn drop(&mut self) {
        self.0.0.send_modify(|used| *used = Use { count: used.count - 1, last: Instant::now() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    async fn who_waits_for_a_request_is_woken_by_the_first() {
        let demand = Demand::default();
        let waiting = demand.clone();
        let woken = tokio::spawn(async move { waiting.needed().await });
        tokio::task::yield_now().await;
        assert!(!woken.is_finished());
        let _request = demand.enter();
        woken.await.unwrap();
    }
}
