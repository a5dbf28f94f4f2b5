//! The store of transactions.

use super::{Transaction, TransactionKey};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::StoreError;
use mgp_types::rpc::ErrorObject;
use std::fmt;

/// A change of one transaction. An error leaves the transaction unchanged.
pub type Change = Box<dyn FnOnce(&mut Transaction) -> Result<(), ErrorObject> + Send>;

/// The outcome of storing a new transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsertOutcome {
    /// The transaction was stored.
    New,
    /// The caller already has a transaction with this name.
    Exists,
    /// The caller has too many open transactions.
    Full,
}

/// The bounds on the transactions of one caller, regardless of the agents that it acts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InsertBounds {
    /// The most open transactions.
    pub open: usize,
    /// The most ended transactions. Beyond this, those that ended first are removed.
    pub over: usize,
}

/// A store of transactions, which several processes may share.
#[async_trait]
pub trait TransactionStore: fmt::Debug + Send + Sync + 'static {
    /// Stores a new transaction, unless the caller has one with its name, or too many open ones.
    async fn insert(
        &self,
        key: &TransactionKey,
        new: Transaction,
        bounds: InsertBounds,
    ) -> Result<InsertOutcome, StoreError>;

    /// Returns what [`insert`](Self::insert) would return, for dry runs, and changes nothing. Without this method, dry runs ignore the
    /// bounds.
    async fn foresee_insert(
        &self,
        key: &TransactionKey,
        _new: Transaction,
        _bounds: InsertBounds,
    ) -> Result<InsertOutcome, StoreError> {
        Ok(self.load(key).await?.map_or(InsertOutcome::New, |_| InsertOutcome::Exists))
    }

    /// Returns a transaction.
    async fn load(&self, key: &TransactionKey) -> Result<Option<Transaction>, StoreError>;

    /// Changes a transaction exclusively. Returns the changed transaction or the error of the change, or `None` if the transaction does not
    /// exist.
    async fn update(
        &self,
        key: &TransactionKey,
        change: Change,
    ) -> Result<Option<Result<Transaction, ErrorObject>>, StoreError>;

    /// Returns the open transactions that are [due](Transaction::due_at) at a time.
    async fn due(&self, now: Timestamp) -> Result<Vec<(TransactionKey, Transaction)>, StoreError>;

    /// Removes the transactions that ended before a time.
    async fn sweep(&self, before: Timestamp) -> Result<usize, StoreError>;

    /// Returns the name of this process in [`Transaction::owner`] and [`Step::owner`](super::Step::owner).
    fn me(&self) -> &str;

    /// Returns whether the process with that name still runs.
    async fn is_alive(&self, owner: &str) -> Result<bool, StoreError>;
}
