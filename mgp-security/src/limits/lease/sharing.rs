//! The parts that the shared limits of a kernel have in common.

use super::{LeaseStore, calls::LEASE, leases::Leases, task};
use crate::limits::rule::BucketKey;
use arc_swap::ArcSwapOption;
use mgp_store::StoreError;
use parking_lot::Mutex;
use std::sync::{
    Arc, Weak,
    atomic::{AtomicBool, AtomicU32, Ordering::Relaxed},
};
use tokio::{
    sync::{Notify, Semaphore, watch},
    time::{Duration, timeout},
};
use uuid::Uuid;

/// The longest wait for the store. Calls that are leased later would be too old to be used.
pub(in crate::limits) const ANSWER: Duration = LEASE;

/// The number of requests that may wait for the store at once, because one that got no answer may still hold a connection.
const REQUESTS: usize = 3;

/// The store of a kernel's shared limits, and the buckets that ask it.
#[derive(Debug)]
pub(in crate::limits) struct SharedStore {
    pub(super) store: Arc<dyn LeaseStore>,
    /// The id of this kernel.
    pub(super) kernel: String,
    limits: Mutex<Vec<Weak<Leases>>>,
    /// The buckets that ask the store next.
    pub(super) queue: Mutex<Vec<(Weak<Leases>, BucketKey)>>,
    /// Notified when a bucket was queued.
    pub(super) wake: Arc<Notify>,
    /// Notified of each answer of the store, and of each failure.
    pub(super) answered: watch::Sender<()>,
    /// The reason for which the store cannot be asked, if it cannot.
    problem: ArcSwapOption<StoreError>,
    /// True if this kernel goes on with its part of each limit while the store is away.
    trusts_snapshot: AtomicBool,
    /// The number of kernels that use the store.
    pub(super) kernels: AtomicU32,
    requests: Arc<Semaphore>,
}

/// The state of limits while the store is away.
#[derive(Debug)]
pub(super) enum Outage {
    /// Calls are refused.
    Refuses(Arc<StoreError>),
    /// This kernel goes on with its part of each limit, as one of so many.
    Shares(u32),
}

impl SharedStore {
    /// Shares limits through a store, with a task that lives as long as the last handle.
    pub(in crate::limits) fn start(store: Arc<dyn LeaseStore>) -> Arc<Self> {
        let sharing = Arc::new(Self {
            store,
            kernel: Uuid::new_v4().to_string(),
            limits: Mutex::default(),
            queue: Mutex::default(),
            wake: Arc::default(),
            answered: watch::Sender::new(()),
            problem: ArcSwapOption::empty(),
            trusts_snapshot: AtomicBool::new(false),
            kernels: AtomicU32::new(1),
            requests: Arc::new(Semaphore::new(REQUESTS)),
        });
        tokio::spawn(task::keep(Arc::downgrade(&sharing), sharing.wake.clone()));
        sharing
    }

    /// Sets whether this kernel goes on with its part of each limit while the store is away.
    pub(in crate::limits) fn set_trusts_snapshot(&self, trusts: bool) {
        self.trusts_snapshot.store(trusts, Relaxed);
    }

    /// Returns a receiver that is notified of each answer of the store, and of each failure.
    pub(in crate::limits) fn answers(&self) -> watch::Receiver<()> {
        self.answered.subscribe()
    }

    /// Notes that the store gave no answer in time.
    pub(in crate::limits) fn note_silence(&self) {
        self.note(Some(silence()));
    }

    pub(super) fn outage(&self) -> Option<Outage> {
        let problem = self.problem.load_full()?;
        Some(if self.trusts_snapshot.load(Relaxed) {
            Outage::Shares(self.kernels.load(Relaxed).max(1))
        } else {
            Outage::Refuses(problem)
        })
    }

    pub(super) fn is_away(&self) -> bool {
        self.problem.load().is_some()
    }

    /// Notes the outcome of a request.
    pub(super) fn note(&self, problem: Option<StoreError>) {
        match (problem, self.is_away()) {
            (Some(error), was_away) => {
                if !was_away {
                    tracing::warn!(%error, "limits cannot be counted together with other gateways");
                }
                self.problem.store(Some(Arc::new(error)));
            }
            (None, true) => self.problem.store(None),
            (None, false) => {}
        }
    }

    pub(super) fn add(&self, limit: &Arc<Leases>) {
        self.limits.lock().push(Arc::downgrade(limit));
    }

    pub(super) fn queue(&self, limit: &Arc<Leases>, bucket: &BucketKey) {
        self.queue.lock().push((Arc::downgrade(limit), bucket.clone()));
        self.wake.notify_one();
    }

    /// Returns the limits in force.
    pub(super) fn limits(&self) -> Vec<Arc<Leases>> {
        let mut limits = self.limits.lock();
        limits.retain(|limit| limit.strong_count() > 0);
        limits.iter().filter_map(Weak::upgrade).collect()
    }

    /// Waits for an answer of the store, for a bounded time, and notes whether there was one.
    pub(super) async fn answer<T: Send + 'static>(
        &self,
        question: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Option<T> {
        let requests = self.requests.clone();
        // In a task of its own: an answer that nobody waits for any more may still hold a connection.
        let asked = async {
            let place = requests.acquire_owned().await.map_err(|error| StoreError::new(error.to_string()))?;
            let asked = tokio::spawn(async move {
                let _place = place;
                question.await
            });
            asked.await.map_err(|error| StoreError::new(error.to_string()))?
        };
        let answer = timeout(ANSWER, asked).await.unwrap_or_else(|_| Err(silence()));
        self.note(answer.as_ref().err().cloned());
        answer.ok()
    }
}

fn silence() -> StoreError {
    StoreError::new(format!("the store gave no answer within {} s", ANSWER.as_secs()))
}
