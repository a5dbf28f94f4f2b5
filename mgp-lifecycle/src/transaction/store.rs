//! The store of transactions.

use super::{Transaction, TransactionKey};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::StoreError;
use mgp_types::rpc::ErrorObject;
use std::fmt;

/// A change of one transaction. An error leaves it as it was.
pub type Change = Box<dyn FnOnce(&mut Transaction) -> Result<(), ErrorObject> + Send>;

/// The outcome of storing a new transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsertOutcome {
    /// It was stored.
    New,
    /// The caller has one of this name.
    Exists,
    /// The caller has as many that are not over as it may.
    Full,
}

/// The bounds on the transactions of one caller, whichever agents it acts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InsertBounds {
    /// The most that are not over.
    pub open: usize,
    /// The most that are over: of more, those that ended first are removed.
    pub over: usize,
}

/// A store of transactions, which several processes may share.
#[async_trait]
pub trait TransactionStore: fmt::Debug + Send + Sync + 'static {
    /// Stores a new transaction, unless the caller has one of its name, or as many that are not over as it may.
    async fn insert(
        &self,
        key: &TransactionKey,
        new: Transaction,
        bounds: InsertBounds,
    ) -> Result<InsertOutcome, StoreError>;

    /// Returns what [`insert`](Self::insert) would return, for dry runs, and changes nothing. A store without this method has dry runs foresee
    /// nothing of bounds.
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

    /// Changes a transaction, while nobody else does. Returns what it is then, or the error of the change; `None` if there is none.
    async fn update(
        &self,
        key: &TransactionKey,
        change: Change,
    ) -> Result<Option<Result<Transaction, ErrorObject>>, StoreError>;

    /// Returns the transactions that are not over and [due](Transaction::due_at) at a time.
    async fn due(&self, now: Timestamp) -> Result<Vec<(TransactionKey, Transaction)>, StoreError>;

    /// Removes the transactions that were over before a time.
    async fn sweep(&self, before: Timestamp) -> Result<usize, StoreError>;

    /// Returns the name of this process in [`Transaction::owner`] and [`Step::owner`](super::Step::owner).
    fn me(&self) -> &str;

    /// Returns whether a process of that name still runs.
    async fn is_alive(&self, owner: &str) -> Result<bool, StoreError>;
}
