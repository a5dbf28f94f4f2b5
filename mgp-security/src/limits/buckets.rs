//! The state of a rule's buckets.

use super::rule::BucketKey;
use governor::{
    nanos::Nanos,
    state::{StateStore, keyed::ShrinkableKeyedStateStore},
};
use hashbrown::HashMap;
use parking_lot::Mutex;

/// The most buckets of one rule. If they are all in use, further callers share one bucket.
pub(super) const MAX_BUCKETS: usize = 10_000;

/// A request for one call from a bucket.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Attempt {
    pub(super) bucket: BucketKey,
    /// True if the call is taken; false if the bucket is only inspected.
    pub(super) takes: bool,
}

/// The buckets of a rule that are in use: for each, the time at which it is full again.
#[derive(Debug, Default)]
pub(super) struct Buckets(Mutex<HashMap<BucketKey, Nanos>>);

impl StateStore for Buckets {
    type Key = Attempt;

    fn measure_and_replace<T, F, E>(&self, attempt: &Attempt, measure: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut buckets = self.0.lock();
        let late = BucketKey::default();
        let is_late = buckets.len() >= MAX_BUCKETS && !buckets.contains_key(&attempt.bucket);
        let key = if is_late { &late } else { &attempt.bucket };
        let (outcome, full_at) = measure(buckets.get(key).copied())?;
        if attempt.takes {
            buckets.insert(key.clone(), full_at);
        }
        Ok(outcome)
    }
}

impl ShrinkableKeyedStateStore<Attempt> for Buckets {
    fn retain_recent(&self, drop_below: Nanos) {
        self.0.lock().retain(|_, full_at| *full_at > drop_below);
    }

    fn shrink_to_fit(&self) {
        self.0.lock().shrink_to_fit();
    }

    fn len(&self) -> usize {
        self.0.lock().len()
    }

    fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }
}
