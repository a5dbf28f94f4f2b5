//! The store of used quotas.

use async_trait::async_trait;
use jiff::civil::Date;
use mgp_store::StoreError;
use std::fmt;

/// The most quotas that a store keeps for one day. Calls that need another one are refused.
pub const MAX_QUOTAS: usize = 100_000;

/// The number of days that a store keeps besides the current one: the latest ones. Days are counted, not compared by date, so that a
/// clock that is temporarily days ahead does not remove earlier days.
pub const KEPT_DAYS: usize = 3;

/// The subject whose units are counted. Used units belong to the subject, whichever rule limits it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuotaKey {
    /// The kind of subject: `agent`, `key`, `server` or `tool`.
    pub party: &'static str,
    /// The agent or the key; for a server or a tool, the agent if agents are counted separately. Empty if all are counted together.
    pub caller: String,
    /// The server; empty for an agent or a key.
    pub server: String,
    /// The tool; empty for anything else.
    pub tool: String,
}

/// A call's share of one quota.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotaShare {
    /// The party.
    pub key: QuotaKey,
    /// The units that are allowed a day.
    pub limit: u64,
}

/// The outcome of spending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpendOutcome {
    /// The units were spent from every quota.
    Spent,
    /// Nothing was spent: the quota at this index has too little left.
    Exhausted {
        /// The index of the quota in the list of shares.
        at: usize,
        /// The used units of the quota.
        used: u64,
    },
}

/// Returns whether there is room for further quotas of a day.
///
/// # Errors
/// [`StoreError`] if there would be more than [`MAX_QUOTAS`].
pub(super) fn check_room(there: usize, new: usize) -> Result<(), StoreError> {
    if there.saturating_add(new) <= MAX_QUOTAS {
        return Ok(());
    }
    Err(StoreError::new(format!(
        "{MAX_QUOTAS} quotas are in use, which is the most: limits with patterns or for each agent make many"
    )))
}

/// A store of the used units of quotas, by day.
#[async_trait]
pub trait QuotaStore: fmt::Debug + Send + Sync + 'static {
    /// Spends units of one day from all of the quotas, or from none. No other handle of the store spends in between. Removes all other days
    /// except the latest [`KEPT_DAYS`].
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written, or if it keeps too many quotas. In that case, nothing is spent.
    async fn spend(&self, day: Date, shares: Vec<QuotaShare>, units: u64)
    -> Result<SpendOutcome, StoreError>;

    /// Gives back units that a call has spent and did not use. The used units of a quota never fall below zero.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written. In that case, the units stay spent.
    async fn give_back(&self, day: Date, keys: Vec<QuotaKey>, units: u64) -> Result<(), StoreError>;

    /// Returns the used units of each quota on one day.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    async fn used(&self, day: Date, keys: Vec<QuotaKey>) -> Result<Vec<u64>, StoreError>;
}
