//! `mgp/transaction/begin`, `commit`, `rollback` and `status`, also without `mgp/`.

use super::Transactions;
use mgp_transport::seam::{Role, Routes};
use mgp_types::transaction::{
    BeginTransaction, BeginTransactionAlias, CommitTransaction, CommitTransactionAlias, QueryTransaction,
    QueryTransactionAlias, RollbackTransaction, RollbackTransactionAlias,
};

impl Transactions {
    /// Returns the methods. Every caller has transactions of its own.
    #[must_use]
    pub fn routes() -> Routes<Self> {
        Routes::new()
            .typed(BeginTransaction, Role::Anyone, async |of: Self, caller, params| {
                of.begin(&caller, params).await
            })
            .typed(BeginTransactionAlias, Role::Anyone, async |of: Self, caller, params| {
                of.begin(&caller, params).await
            })
            .typed(CommitTransaction, Role::Anyone, async |of: Self, caller, params| {
                of.commit(&caller, params).await
            })
            .typed(CommitTransactionAlias, Role::Anyone, async |of: Self, caller, params| {
                of.commit(&caller, params).await
            })
            .typed(RollbackTransaction, Role::Anyone, async |of: Self, caller, params| {
                of.rollback(&caller, params).await
            })
            .typed(RollbackTransactionAlias, Role::Anyone, async |of: Self, caller, params| {
                of.rollback(&caller, params).await
            })
            .typed(QueryTransaction, Role::Anyone, async |of: Self, caller, params| {
                of.status(&caller, &params.transaction_id).await
            })
            .typed(QueryTransactionAlias, Role::Anyone, async |of: Self, caller, params| {
                of.status(&caller, &params.transaction_id).await
            })
    }
}
