//! `mgp/transaction/begin`, `commit`, `rollback` and `status`, with and without the prefix `mgp/`.

use super::{RollbackAsker, Transactions};
use mgp_transport::seam::{Role, Routes};
use mgp_types::transaction::{
    BeginTransaction, BeginTransactionAlias, CommitTransaction, CommitTransactionAlias, QueryTransaction,
    QueryTransactionAlias, RollbackTransaction, RollbackTransactionAlias,
};

/// The state for a request about transactions.
#[derive(Debug, Clone)]
pub struct TransactionMethods {
    of: Transactions,
    /// The host that makes the request.
    asker: RollbackAsker,
}

impl TransactionMethods {
    /// Creates the state for a host's request.
    #[must_use]
    pub fn new(of: Transactions, asker: RollbackAsker) -> Self {
        Self { of, asker }
    }

    /// Returns the methods. Each caller has separate transactions.
    #[must_use]
    pub fn routes() -> Routes<Self> {
        Routes::new()
            .typed(BeginTransaction, Role::Anyone, async |of: Self, caller, params| {
                of.of.begin(&caller, params).await
            })
            .typed(BeginTransactionAlias, Role::Anyone, async |of: Self, caller, params| {
                of.of.begin(&caller, params).await
            })
            .typed(CommitTransaction, Role::Anyone, async |of: Self, caller, params| {
                of.of.commit(&caller, params).await
            })
            .typed(CommitTransactionAlias, Role::Anyone, async |of: Self, caller, params| {
                of.of.commit(&caller, params).await
            })
            .typed(RollbackTransaction, Role::Anyone, async |of: Self, caller, params| {
                of.of.rollback_for(&caller, params, of.asker).await
            })
            .typed(RollbackTransactionAlias, Role::Anyone, async |of: Self, caller, params| {
                of.of.rollback_for(&caller, params, of.asker).await
            })
            .typed(QueryTransaction, Role::Anyone, async |of: Self, caller, params| {
                of.of.status(&caller, &params.transaction_id).await
            })
            .typed(QueryTransactionAlias, Role::Anyone, async |of: Self, caller, params| {
                of.of.status(&caller, &params.transaction_id).await
            })
    }
}
