//! Keeps a snapshot in step with a store that other processes may write to.

use crate::StoreError;
use std::{sync::Weak, time::Duration};
use tokio::time::{Instant, MissedTickBehavior, interval};

/// The interval at which a store is asked for its version.
const POLL: Duration = Duration::from_millis(100);

/// The owner of a snapshot of a store.
pub trait SnapshotOwner: Send + Sync + 'static {
    /// Returns the version of the store, a number that changes when others have changed the store.
    fn version(&self) -> impl Future<Output = Result<i64, StoreError>> + Send;

    /// Reads the store into the snapshot.
    fn reload(&self) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Learns after each look whether the store can be asked, and the error if it cannot.
    fn looked(&self, _problem: Option<&StoreError>) {}

    /// Learns that the snapshot has every change that was made before a time.
    fn is_current_at(&self, _time: Instant) {}

    /// Returns whether the store could not be read after a change by this process, which the store's version does not show.
    fn is_stale(&self) -> bool {
        false
    }
}

/// Reloads the snapshot whenever the version of the store has changed, until the last handle is dropped. A reload that fails is tried again, and
/// its error is logged once.
pub async fn follow<T: SnapshotOwner>(followed: Weak<T>) {
    let mut seen = None;
    let mut failed = None;
    let mut ticks = interval(POLL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(followed) = followed.upgrade() else { return };
        // A store that is away fails many times a second, in the same way.
        let began = Instant::now();
        let outcome = step(&*followed, &mut seen).await;
        if outcome.is_ok() {
            followed.is_current_at(began);
        }
        followed.looked(outcome.as_ref().err());
        match outcome {
            Ok(()) => failed = None,
            Err(error) if failed.as_ref() == Some(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "failed to follow a store");
                failed = Some(error);
            }
        }
    }
}

async fn step<T: SnapshotOwner>(followed: &T, seen: &mut Option<i64>) -> Result<(), StoreError> {
    let version = followed.version().await?;
    if *seen != Some(version) || followed.is_stale() {
        followed.reload().await?;
        // Set only now, so that a failed reload is tried again.
        *seen = Some(version);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering::SeqCst},
    };

    #[derive(Default)]
    struct Snapshot {
        version: AtomicI64,
        broken: AtomicBool,
        stale: AtomicBool,
        reloads: AtomicUsize,
    }

    impl SnapshotOwner for Snapshot {
        async fn version(&self) -> Result<i64, StoreError> {
            Ok(self.version.load(SeqCst))
        }

        async fn reload(&self) -> Result<(), StoreError> {
            self.reloads.fetch_add(1, SeqCst);
            if self.broken.load(SeqCst) { Err(StoreError::new("disk on fire")) } else { Ok(()) }
        }

        fn is_stale(&self) -> bool {
            self.stale.load(SeqCst)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_changed_snapshot_is_reloaded_until_that_succeeds() {
        let snapshot = Arc::new(Snapshot::default());
        let follower = tokio::spawn(follow(Arc::downgrade(&snapshot)));
        let after_ticks = async |ticks: u32| {
            tokio::time::sleep(POLL * ticks).await;
            snapshot.reloads.swap(0, SeqCst)
        };
        after_ticks(2).await;
        assert_eq!(after_ticks(3).await, 0, "nothing changed");
        snapshot.version.store(7, SeqCst);
        assert_eq!(after_ticks(3).await, 1);
        snapshot.broken.store(true, SeqCst);
        snapshot.version.store(8, SeqCst);
        assert_eq!(after_ticks(3).await, 3, "a failed reload is tried again");
        snapshot.broken.store(false, SeqCst);
        assert_eq!(after_ticks(3).await, 1);
        snapshot.stale.store(true, SeqCst);
        assert_eq!(after_ticks(3).await, 3);
        drop(snapshot);
        follower.await.unwrap();
    }
}
