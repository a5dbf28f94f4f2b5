//! The counter of a rule's calls.

use super::{
    LimitRule,
    lease::{Leases, SharedStore, Shortage, TakenCall},
    rate::RateLimit,
    rule::BucketKey,
};
use std::{num::NonZeroU32, sync::Arc};

/// A counter of the calls of a rule.
#[derive(Debug, Clone)]
pub(super) enum Counter {
    /// Counts the calls of this kernel only.
    Own(Arc<RateLimit>),
    /// Counts the calls of all kernels that use the same store.
    Shared(Arc<Leases>),
}

impl Counter {
    /// Creates the counter of a rule; `None` if the rule does not limit requests a minute.
    pub(super) fn new(rule: &LimitRule, sharing: Option<&Arc<SharedStore>>) -> Option<Self> {
        match sharing {
            Some(sharing) => Leases::new(rule, sharing).map(Self::Shared),
            None => RateLimit::new(rule).map(|limit| Self::Own(Arc::new(limit))),
        }
    }

    /// Returns the calls that are allowed a minute.
    pub(super) fn calls(&self) -> NonZeroU32 {
        match self {
            Self::Own(limit) => limit.calls,
            Self::Shared(limit) => limit.calls,
        }
    }

    /// Looks whether a call can be taken from a bucket.
    ///
    /// # Errors
    /// [`Shortage`] if it cannot.
    pub(super) fn look(&self, bucket: BucketKey, dry_run: bool) -> Result<(), Shortage> {
        match self {
            Self::Own(limit) => limit.check(bucket, false).map_err(Shortage::Wait),
            Self::Shared(limit) => limit.look(&bucket, dry_run),
        }
    }

    /// Takes a call from a bucket. Returns `None` if the call cannot be put back, because the counter is that of one kernel.
    ///
    /// # Errors
    /// [`Shortage`] if there is none.
    pub(super) fn take(&self, bucket: BucketKey) -> Result<Option<TakenCall>, Shortage> {
        match self {
            Self::Own(limit) => limit.check(bucket, true).map(|()| None).map_err(Shortage::Wait),
            Self::Shared(limit) => limit.take(&bucket).map(Some),
        }
    }

    /// Puts back a call that was taken and not made.
    pub(super) fn put_back(&self, bucket: &BucketKey, taken: TakenCall) {
        if let Self::Shared(limit) = self {
            limit.put_back(bucket, taken);
        }
    }

    /// Asks the store of a bucket that has no leased call.
    pub(super) fn ask(&self, bucket: &BucketKey, dry_run: bool) {
        if let Self::Shared(limit) = self {
            limit.ask(bucket, dry_run);
        }
    }

    /// Returns the number of buckets in use.
    #[cfg(test)]
    pub(super) fn buckets(&self) -> usize {
        match self {
            Self::Own(limit) => limit.buckets(),
            Self::Shared(limit) => limit.buckets(),
        }
    }
}
