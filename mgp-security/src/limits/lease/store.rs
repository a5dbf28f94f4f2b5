//! The store of shared buckets.

use super::{Lease, LeaseRequest};
use async_trait::async_trait;
use mgp_store::StoreError;
use std::{fmt, sync::Arc};

/// The most buckets that a store keeps. Another one counts as empty until full ones are removed.
pub const MAX_SHARED_BUCKETS: usize = 100_000;

/// The name of a bucket. Kernels with the same rule use the same names.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct BucketName {
    /// The rule, with its numbers: a rule with another number has other buckets.
    pub rule: Arc<str>,
    /// The agent or the API key; empty if all are counted together.
    pub caller: String,
    /// The server; empty for an agent or a key.
    pub server: String,
    /// The tool; empty for anything else.
    pub tool: String,
}

impl BucketName {
    /// Returns the name by which a store locks the bucket.
    #[must_use]
    pub fn subject(&self) -> String {
        [&*self.rule, &self.caller, &self.server, &self.tool].join("\n")
    }
}

/// A store of the buckets that several kernels share. All times are those of the store, because the clocks of several machines differ.
#[async_trait]
pub trait LeaseStore: fmt::Debug + Send + Sync + 'static {
    /// [Applies](LeaseRequest::apply) requests to their buckets, and returns the leases in the order of the requests. No other kernel uses
    /// these buckets in between. A bucket that is not in the store is full.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written. In that case, nothing is leased.
    async fn lease(&self, requests: Vec<LeaseRequest>) -> Result<Vec<Lease>, StoreError>;

    /// Notes that a kernel uses the store, and returns the number of kernels that do, with this one.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written.
    async fn renew(&self, kernel: &str) -> Result<u32, StoreError>;

    /// Removes some of the buckets that have been full for a while, and the notes of kernels that are gone.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written.
    async fn sweep(&self) -> Result<(), StoreError>;
}
