//! The store of entries.

use super::{Claim, EntryBounds, EntryId, NewEntry, Outcome, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use std::fmt;

/// A store of entries, which several processes may share. An expired entry counts as missing, unless its call still runs.
#[async_trait]
pub trait IdempotencyStore: fmt::Debug + Send + Sync + 'static {
    /// Stores an entry whose call runs in this process, unless an entry with its identity exists. Of several callers, in any number of
    /// processes, only one gets [`Claim::New`]. The entry must survive the end of the process.
    ///
    /// The call of a process that is gone has the state [`Unknown`](super::EntryState::Unknown).
    async fn claim(&self, entry: NewEntry, bounds: EntryBounds) -> Result<Claim, StoreError>;

    /// Returns what [`claim`](Self::claim) would return, for dry runs, and changes nothing. Without this method, dry runs ignore keys.
    async fn foresee(&self, _entry: NewEntry, _bounds: EntryBounds) -> Result<Claim, StoreError> {
        Ok(Claim::New)
    }

    /// Stores the end of a call of this process. An answer for which the caller has no room is [dropped](super::KeptAnswer::Dropped).
    async fn keep(&self, id: &EntryId, outcome: Outcome, bounds: EntryBounds) -> Result<(), StoreError>;

    /// Removes the entry of a call of this process that was not sent.
    async fn release(&self, id: &EntryId) -> Result<(), StoreError>;

    /// Removes the expired entries, and returns their number.
    async fn sweep(&self, now: Timestamp) -> Result<usize, StoreError>;

    /// Returns a number that changes when another process has changed an entry.
    async fn version(&self) -> Result<i64, StoreError>;
}
