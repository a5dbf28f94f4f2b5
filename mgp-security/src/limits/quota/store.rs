//! The store of used quotas.

use async_trait::async_trait;
use jiff::civil::Date;
use mgp_store::StoreError;
use std::fmt;

/// The most quotas that a store keeps for one day. Calls that need another one are refused.
pub const MAX_QUOTAS: usize = 100_000;

/// The number of days beside the current one that a store keeps: the latest ones. By the number of days and not by their dates, so that a clock
/// that is days ahead for a while takes nothing from the days on which it was right.
pub const KEPT_DAYS: usize = 3;

/// The party whose units are counted. What is used belongs to the party, whichever rule limits it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuotaKey {
    /// The kind of party: `agent`, `key`, `server` or `tool`.
    pub party: &'static str,
    /// The agent or the key; for a server or a tool, the agent that is counted by itself. Empty if all are counted together.
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
    /// Nothing was spent: the quota at this place has too little left.
    Exhausted {
        /// The place of the quota in the list of shares.
        at: usize,
        /// The units of it that are used.
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

/// A store of the units that are used of quotas, by day.
#[async_trait]
pub trait QuotaStore: fmt::Debug + Send + Sync + 'static {
    /// Spends units of one day from all of the quotas, or from none. No other handle of the store spends in between. Forgets all other days but
    /// the latest [`KEPT_DAYS`].
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written, or if it keeps too many quotas. Nothing is spent then.
    async fn spend(&self, day: Date, shares: Vec<QuotaShare>, units: u64)
    -> Result<SpendOutcome, StoreError>;

    /// Gives back units that a call has spent and did not use. Units that are there no more are not missed: no quota has less than nothing used.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written. The units stay spent then.
    async fn give_back(&self, day: Date, keys: Vec<QuotaKey>, units: u64) -> Result<(), StoreError>;

    /// Returns the units of one day that are used of each quota.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    async fn used(&self, day: Date, keys: Vec<QuotaKey>) -> Result<Vec<u64>, StoreError>;
}
