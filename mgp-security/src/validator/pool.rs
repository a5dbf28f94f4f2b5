//! Threads for long judgements.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak, atomic::AtomicBool, atomic::Ordering},
    thread,
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::spawn_blocking,
};

/// A bounded number of threads for judgements, shared fairly among callers: each caller uses one at a time, and callers take turns.
///
/// A clone shares the threads.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    threads: Arc<Semaphore>,
    /// The share of each caller with judgements that run or wait, by the caller's id.
    shares: Arc<Mutex<HashMap<Box<str>, Weak<Semaphore>>>>,
}

impl Default for Pool {
    fn default() -> Self {
        Self::new(thread::available_parallelism().map_or(1, usize::from))
    }
}

impl Pool {
    /// Creates a pool that uses at most this many threads.
    pub(super) fn new(threads: usize) -> Self {
        Self { threads: Arc::new(Semaphore::new(threads)), shares: Arc::default() }
    }

    /// Runs a judgement for a caller once it is the caller's turn. Returns `None` if the judgement panicked.
    ///
    /// `judge` gets a flag that is set once the returned future is dropped, and keeps its thread until it returns.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        caller: &str,
        judge: impl FnOnce(&AtomicBool) -> T + Send + 'static,
    ) -> Option<T> {
        // The share first, so that a caller with many judgements waits for a thread only once.
        let share = Arc::clone(&self.share(caller)).acquire_owned().await.ok()?;
        let thread = Arc::clone(&self.threads).acquire_owned().await.ok()?;
        let abandoned = Arc::new(AtomicBool::new(false));
        let permits = Permits { _share: share, _thread: thread };
        let flag = Arc::clone(&abandoned);
        let _abandons = Abandons(abandoned);
        spawn_blocking(move || {
            let _permits = permits;
            judge(&flag)
        })
        .await
        .ok()
    }

    /// Returns the share of a caller.
    fn share(&self, caller: &str) -> Arc<Semaphore> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = shares.get(caller).and_then(Weak::upgrade) {
            return share;
        }
        shares.retain(|_, share| share.strong_count() > 0);
        let share = Arc::new(Semaphore::new(1));
        shares.insert(caller.into(), Arc::downgrade(&share));
        share
    }
}

/// The permits of a running judgement.
struct Permits {
    _share: OwnedSemaphorePermit,
    _thread: OwnedSemaphorePermit,
}

/// A guard that sets a flag when it is dropped.
struct Abandons(Arc<AtomicBool>);

impl Drop for Abandons {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::poll;
    use std::sync::mpsc;
    use xtask_testing::within;

    /// Returns a judgement that runs until the sender is dropped, and the sender.
    fn held() -> (mpsc::Sender<()>, impl FnOnce(&AtomicBool) + Send + 'static) {
        let (hold, held) = mpsc::channel::<()>();
        (hold, move |_: &AtomicBool| {
            let _ = held.recv();
        })
    }

    #[tokio::test]
    async fn a_caller_uses_one_thread_and_leaves_the_others_free() {
        let pool = Pool::new(2);
        let (hold, judge) = held();
        let mut first = Box::pin(pool.run("a", judge));
        assert!(poll!(&mut first).is_pending());
        let mut second = Box::pin(pool.run("a", |_| ()));
        assert!(poll!(&mut second).is_pending());
        assert_eq!(within(pool.run("b", |_| 7)).await, Some(7));
        assert!(poll!(&mut second).is_pending());
        drop(hold);
        assert_eq!(within(first).await, Some(()));
        assert_eq!(within(second).await, Some(()));
        assert_eq!(within(pool.run("c", |_| ())).await, Some(()));
        assert_eq!(pool.shares.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn callers_get_threads_in_turn() {
        let pool = Pool::new(1);
        let (hold, judge) = held();
        let mut running = Box::pin(pool.run("a", judge));
        assert!(poll!(&mut running).is_pending());
        let mut more_of_a = Box::pin(pool.run("a", |_| ()));
        assert!(poll!(&mut more_of_a).is_pending());
        let (hold_b, judge) = held();
        let mut of_b = Box::pin(pool.run("b", judge));
        assert!(poll!(&mut of_b).is_pending());
        drop(hold);
        within(running).await;
        assert!(poll!(&mut more_of_a).is_pending(), "b waits for longer");
        drop(hold_b);
        assert_eq!(within(of_b).await, Some(()));
        assert_eq!(within(more_of_a).await, Some(()));
    }

    #[tokio::test]
    async fn an_abandoned_judgement_stops_and_a_panic_has_no_outcome() {
        let pool = Pool::new(1);
        let (ended, end) = tokio::sync::oneshot::channel();
        let mut run = Box::pin(pool.run("a", |abandoned| {
            while !abandoned.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            let _ = ended.send(());
        }));
        assert!(poll!(&mut run).is_pending());
        drop(run);
        within(end).await.unwrap();
        assert_eq!(within(pool.run("a", |_| panic!("on purpose"))).await, None::<()>);
    }
}
