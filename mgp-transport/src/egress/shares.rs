//! The servers' shares of the resources that the proxy takes from this machine.

use super::{ResolveHost, error::EgressError};
use std::{
    io,
    net::IpAddr,
    sync::{Arc, LazyLock},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The most look-ups at once, of all servers. An abandoned look-up still counts.
const MAX_LOOK_UPS: usize = 16;

/// The most look-ups of one server at once.
const MAX_OF_SERVER: usize = 4;

/// The most connections to hosts at once, of all servers. Each takes two of the files that this process may have open.
const MAX_TUNNELS: usize = 256;

/// The look-ups and connections of all servers of this process.
static OF_ALL: LazyLock<Total> = LazyLock::new(|| Total::new(MAX_LOOK_UPS, MAX_TUNNELS));

/// The look-ups and connections of several servers.
#[derive(Debug, Clone)]
pub(super) struct Total {
    look_ups: Arc<Semaphore>,
    tunnels: Arc<Semaphore>,
}

impl Total {
    pub(super) fn new(look_ups: usize, tunnels: usize) -> Self {
        Self { look_ups: Arc::new(Semaphore::new(look_ups)), tunnels: Arc::new(Semaphore::new(tunnels)) }
    }

    pub(super) fn of_process() -> Self {
        OF_ALL.clone()
    }

    /// Returns the share of one server.
    pub(super) fn share(&self) -> Share {
        Share { of_all: self.clone(), look_ups: Arc::new(Semaphore::new(MAX_OF_SERVER)) }
    }
}

/// The share of one server.
#[derive(Debug)]
pub(super) struct Share {
    of_all: Total,
    look_ups: Arc<Semaphore>,
}

impl Share {
    /// Looks up a name when it is the server's turn.
    pub(super) async fn resolve(
        &self,
        resolver: Arc<dyn ResolveHost>,
        name: String,
    ) -> Result<Vec<IpAddr>, EgressError> {
        // The server's own permit first: a server that waits for it must not make others wait.
        let turns = (acquire(&self.look_ups).await?, acquire(&self.of_all.look_ups).await?);
        // In a task, because the system's look-up continues when its future is dropped.
        let look_up = tokio::spawn(async move {
            let _turns = turns;
            resolver.resolve(&name).await
        });
        Ok(look_up.await.map_err(io::Error::other)??)
    }

    /// Waits for room for a connection, which is held until the permit is dropped.
    pub(super) async fn tunnel(&self) -> Result<OwnedSemaphorePermit, EgressError> {
        acquire(&self.of_all.tunnels).await
    }
}

async fn acquire(turns: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, EgressError> {
    Ok(turns.clone().acquire_owned().await.map_err(io::Error::other)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        time::Duration,
    };
    use tokio::time::timeout;

    /// A resolver that never answers, and counts who asked.
    #[derive(Default)]
    struct Silent(AtomicUsize);

    #[async_trait::async_trait]
    impl ResolveHost for Silent {
        async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            self.0.fetch_add(1, Ordering::Relaxed);
            std::future::pending().await
        }
    }

    #[tokio::test(start_paused = true)]
    async fn lookups_are_bounded_per_server_and_in_total() {
        let total = Total::new(6, 1);
        let resolver = Arc::new(Silent::default());
        let mut asked = Vec::new();
        for _ in 0..3 {
            let share = total.share();
            for _ in 0..10 {
                let look_up = share.resolve(resolver.clone(), "name".to_owned());
                assert!(timeout(Duration::from_secs(1), look_up).await.is_err());
            }
            asked.push(resolver.0.load(Ordering::Relaxed));
        }
        assert_eq!(asked, [MAX_OF_SERVER, 6, 6]);
    }

    #[tokio::test(start_paused = true)]
    async fn connections_of_all_servers_are_bounded() {
        let total = Total::new(1, 2);
        let shares = [total.share(), total.share()];
        let (first, _second) = (shares[0].tunnel().await.unwrap(), shares[1].tunnel().await.unwrap());
        assert!(timeout(Duration::from_secs(1), shares[0].tunnel()).await.is_err());
        drop(first);
        assert!(shares[1].tunnel().await.is_ok());
    }
}
