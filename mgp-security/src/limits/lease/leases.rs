//! The leased calls of one rule.

use super::{
    BucketName, BucketRate, Lease, LeaseRequest,
    calls::{LeasedCalls, TakenCall},
    sharing::{Outage, SharedStore},
    shortage::Shortage,
};
use crate::limits::{LimitRule, buckets::MAX_BUCKETS, rule::BucketKey};
use hashbrown::HashMap;
use parking_lot::Mutex;
use std::{num::NonZeroU32, sync::Arc};
use tokio::time::Instant;

/// The leased calls of the buckets of a rule.
#[derive(Debug)]
pub(in crate::limits) struct Leases {
    pub(in crate::limits) calls: NonZeroU32,
    /// The rule's part of the names of its buckets.
    rule: Arc<str>,
    rate: BucketRate,
    sharing: Arc<SharedStore>,
    buckets: Mutex<HashMap<BucketKey, LeasedCalls>>,
}

impl Leases {
    /// Creates the leases of a rule; `None` if the rule does not limit requests a minute.
    pub(in crate::limits) fn new(rule: &LimitRule, sharing: &Arc<SharedStore>) -> Option<Arc<Self>> {
        let calls = rule.per_minute?;
        let burst = rule.burst.unwrap_or(calls);
        let per_agent = if rule.per_agent { " for each agent" } else { "" };
        let leases = Arc::new(Self {
            calls,
            rule: format!("{} {calls} {burst}{per_agent}", rule.key()).into(),
            rate: BucketRate::new(calls, burst),
            sharing: sharing.clone(),
            buckets: Mutex::default(),
        });
        sharing.add(&leases);
        Some(leases)
    }

    /// Looks whether a call can be taken from a bucket.
    ///
    /// # Errors
    /// [`Shortage`] if it cannot.
    pub(in crate::limits) fn look(&self, bucket: &BucketKey, dry_run: bool) -> Result<(), Shortage> {
        self.with(bucket, |calls, _, now| {
            calls.look(now, dry_run).or_else(|shortage| match self.sharing.outage() {
                None => Err(shortage),
                Some(Outage::Refuses(problem)) => Err(Shortage::Away(problem)),
                Some(Outage::Shares(kernels)) => calls.look_at_share(now, kernels).map_err(Shortage::Wait),
            })
        })
    }

    /// Takes a call from a bucket.
    ///
    /// # Errors
    /// [`Shortage`] if there is none.
    pub(in crate::limits) fn take(self: &Arc<Self>, bucket: &BucketKey) -> Result<TakenCall, Shortage> {
        self.with(bucket, |calls, key, now| match calls.take(now) {
            Ok(taken) => {
                if calls.refills() && self.sharing.outage().is_none() {
                    self.queue(calls, key);
                }
                Ok(taken)
            }
            Err(shortage) => match self.sharing.outage() {
                None => Err(shortage),
                Some(Outage::Refuses(problem)) => Err(Shortage::Away(problem)),
                Some(Outage::Shares(kernels)) => calls.take_share(now, kernels).map_err(Shortage::Wait),
            },
        })
    }

    /// Puts back a call that was taken and not made.
    pub(in crate::limits) fn put_back(&self, bucket: &BucketKey, taken: TakenCall) {
        self.with(bucket, |calls, _, now| calls.put_back(taken, now));
    }

    /// Asks the store for the state of a bucket, and for a call unless it is for a dry run.
    pub(in crate::limits) fn ask(self: &Arc<Self>, bucket: &BucketKey, dry_run: bool) {
        self.with(bucket, |calls, key, _| {
            calls.wait(u32::from(!dry_run));
            self.queue(calls, key);
        });
    }

    /// Queues the buckets of which the store has to learn something, and forgets those of which nothing is known.
    pub(super) fn settle(self: &Arc<Self>) {
        let now = Instant::now();
        self.buckets.lock().retain(|key, calls| {
            if calls.is_owing(now) {
                self.queue(calls, key);
            }
            !calls.is_idle(now)
        });
    }

    /// Returns the request for a queued bucket.
    pub(super) fn request(&self, bucket: &BucketKey) -> LeaseRequest {
        let [caller, server, tool] = bucket.names().map(str::to_owned);
        let name = BucketName { rule: self.rule.clone(), caller, server, tool };
        self.with(bucket, |calls, _, now| calls.request(name, now))
    }

    /// Adds the calls that were leased by a request of `asked`.
    pub(super) fn add(&self, bucket: &BucketKey, request: &LeaseRequest, lease: &Lease, asked: Instant) {
        self.with(bucket, |calls, _, now| calls.add(request, lease, asked, now));
    }

    /// Ends a request that failed.
    pub(super) fn fail(&self, bucket: &BucketKey) {
        self.with(bucket, |calls, _, _| calls.fail());
    }

    fn queue(self: &Arc<Self>, calls: &mut LeasedCalls, key: &BucketKey) {
        if calls.queue() {
            self.sharing.queue(self, key);
        }
    }

    /// Calls a function with the leased calls of a bucket, which share those of the late ones if there are too many.
    fn with<T>(&self, bucket: &BucketKey, run: impl FnOnce(&mut LeasedCalls, &BucketKey, Instant) -> T) -> T {
        let now = Instant::now();
        let mut buckets = self.buckets.lock();
        if let Some(calls) = buckets.get_mut(bucket) {
            return run(calls, bucket, now);
        }
        let key = if buckets.len() >= MAX_BUCKETS { BucketKey::default() } else { bucket.clone() };
        let calls = buckets.entry(key.clone()).or_insert_with(|| LeasedCalls::new(self.rate, now));
        run(calls, &key, now)
    }

    /// Returns the number of buckets in use.
    #[cfg(test)]
    pub(in crate::limits) fn buckets(&self) -> usize {
        self.buckets.lock().len()
    }
}
