//! Observers of transactions.

use super::Transaction;
use async_trait::async_trait;
use mgp_types::context::Principal;

/// An event of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionEvent {
    /// The transaction began.
    Begun,
    /// The transaction was committed.
    Committed,
    /// The rollback began.
    RollbackBegun,
    /// The rollback ended. The state of the transaction holds the outcome.
    RollbackEnded,
}

/// An observer of transactions, such as an audit trail. It runs before the request that led to the event is answered.
#[async_trait]
pub trait TransactionObserver: Send + Sync + 'static {
    /// Observes an event. `by` is the caller whose request led to the event, or `None` without a request.
    async fn observe(&self, event: TransactionEvent, of: &Transaction, by: Option<&Principal>);
}
