//! Those who hear of transactions.

use super::Transaction;
use async_trait::async_trait;
use mgp_types::context::Principal;

/// An event of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionEvent {
    /// It began.
    Begun,
    /// It was committed.
    Committed,
    /// Its rollback began.
    RollbackBegun,
    /// Its rollback came to an end, which its state tells.
    RollbackEnded,
}

/// Hears of transactions, such as an audit trail. What it does is done before the request is answered that led to the event.
#[async_trait]
pub trait TransactionObserver: Send + Sync + 'static {
    /// Hears of an event. `by` is the caller whose request led to it; `None` for one that nobody asked for.
    async fn observe(&self, event: TransactionEvent, of: &Transaction, by: Option<&Principal>);
}
