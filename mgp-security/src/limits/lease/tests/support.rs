//! Kernels that share limits, and stores that can be away.

use super::super::{Lease, LeaseRequest, LeaseStore, SqlLeaseStore};
use crate::{
    limits::{
        CallerLimits, LimitRule, Limits, TargetLimits,
        tests::{agent, call, number},
    },
    testing::tokio_clock,
};
use async_trait::async_trait;
use mgp_store::{StoreError, sql::SqlStore};
use mgp_transport::seam::{Decision, Judge, Refusal, ToolCall};
use parking_lot::Mutex;
use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::time::{Instant, sleep};
use xtask_testing::{SharedDatabase, databases};

/// The time between two calls of a busy caller.
const STEP: Duration = Duration::from_millis(50);

/// Returns the time of kernels and stores in microseconds.
pub(super) fn clock() -> i64 {
    tokio_clock().as_microsecond()
}

/// The way in which a store answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Here,
    /// It answers with an error.
    Away,
    /// It gives no answer.
    Silent,
}

/// A store that can be away, and counts its requests.
#[derive(Debug)]
pub(super) struct TestStore {
    pub(super) store: SqlLeaseStore,
    pub(super) state: Mutex<State>,
    /// The number of requests for leases.
    pub(super) requests: AtomicUsize,
    _database: Option<SharedDatabase>,
}

impl TestStore {
    fn of(store: SqlLeaseStore, database: Option<SharedDatabase>) -> Arc<Self> {
        let state = Mutex::new(State::Here);
        Arc::new(Self { store: store.at(clock), state, requests: AtomicUsize::new(0), _database: database })
    }

    pub(super) fn in_memory() -> Arc<Self> {
        Self::of(SqlLeaseStore::in_memory(), None)
    }

    /// Returns a store of each engine.
    pub(super) async fn of_each_engine() -> Vec<Arc<Self>> {
        let mut stores = vec![Self::in_memory()];
        for database in databases(SqlLeaseStore::SCHEMA).await {
            stores.push(Self::of(SqlLeaseStore::new(database.here.clone()), Some(database)));
        }
        stores
    }

    pub(super) fn set(&self, state: State) {
        *self.state.lock() = state;
    }

    pub(super) fn requests(&self) -> usize {
        self.requests.load(Relaxed)
    }

    async fn check(&self) -> Result<(), StoreError> {
        let state = *self.state.lock();
        match state {
            State::Here => Ok(()),
            State::Away => Err(StoreError::new("nobody answers")),
            State::Silent => pending().await,
        }
    }
}

#[async_trait]
impl LeaseStore for TestStore {
    async fn lease(&self, requests: Vec<LeaseRequest>) -> Result<Vec<Lease>, StoreError> {
        self.requests.fetch_add(1, Relaxed);
        self.check().await?;
        self.store.lease(requests).await
    }

    async fn renew(&self, kernel: &str) -> Result<u32, StoreError> {
        self.check().await?;
        self.store.renew(kernel).await
    }

    async fn sweep(&self) -> Result<(), StoreError> {
        self.check().await?;
        self.store.sweep().await
    }
}

/// Kernels with the same limits, and the calls of an agent that they let through.
pub(super) struct Kernels {
    pub(super) store: Arc<TestStore>,
    pub(super) kernels: Vec<Limits>,
    pub(super) call: ToolCall,
    began: Instant,
    pub(super) passed: usize,
    per_minute: u32,
    burst: u32,
}

impl Kernels {
    /// Starts kernels that allow an agent so many calls a minute.
    pub(super) async fn start(count: usize, store: &Arc<TestStore>, per_minute: u32, burst: u32) -> Self {
        let rule = agent("*", per_minute).burst(number(burst));
        let kernels = (0..count).map(|_| kernel(store, std::slice::from_ref(&rule))).collect();
        // The kernels get to know each other.
        sleep(Duration::from_secs(3)).await;
        let (store, call, began) = (store.clone(), call("ann", "files", "read"), Instant::now());
        Self { store, kernels, call, began, passed: 0, per_minute, burst }
    }

    /// Calls one of the kernels until a call is refused.
    pub(super) async fn exhaust(&mut self, kernel: usize) -> Refusal {
        loop {
            match judge(&self.kernels[kernel], &self.call).await {
                Ok(()) => self.passed += 1,
                Err(refusal) => return refusal,
            }
        }
    }

    /// For a time, makes a number of calls in each step at each of some kernels.
    pub(super) async fn load(&mut self, time: Duration, kernels: &[usize], calls: usize) {
        let until = Instant::now() + time;
        while Instant::now() < until {
            for &kernel in kernels {
                for _ in 0..calls {
                    self.passed += usize::from(judge(&self.kernels[kernel], &self.call).await.is_ok());
                }
            }
            sleep(STEP).await;
        }
    }

    /// Checks that as many calls passed as one bucket would have let through, to within a tenth.
    #[track_caller]
    pub(super) fn check(&self, what: &str) {
        let seconds = self.began.elapsed().as_secs_f64();
        let bucket = f64::from(self.burst) + f64::from(self.per_minute) * seconds / 60.0;
        let (passed, limit) = (f64::from(u32::try_from(self.passed).unwrap()), (self.per_minute, self.burst));
        assert!(
            // A call is a whole one.
            passed >= bucket * 0.9 - 1.0 && passed <= bucket * 1.1,
            "{what}: {limit:?}: {passed} of {bucket} calls passed in {seconds} s"
        );
    }
}

/// Starts a kernel with shared limits.
pub(super) fn kernel(store: &Arc<TestStore>, rules: &[LimitRule]) -> Limits {
    let limits = Limits::shared(store.clone());
    limits.set_rules(rules);
    limits
}

/// Judges a call by both gates. Waits for a decision that takes time.
pub(super) async fn judge(limits: &Limits, call: &ToolCall) -> Result<(), Refusal> {
    for decision in [CallerLimits(limits.clone()).judge(call), TargetLimits(limits.clone()).judge(call)] {
        decided(decision).await?;
    }
    Ok(())
}

pub(super) async fn decided(decision: Decision) -> Result<(), Refusal> {
    match decision {
        Decision::Allow => Ok(()),
        Decision::Refuse(refusal) => Err(refusal),
        Decision::Wait(decision) | Decision::Read(decision) => decision.await,
    }
}
