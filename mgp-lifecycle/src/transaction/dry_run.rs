//! Dry runs: the errors that requests and steps would get, without changing a transaction.

use super::{
    Transaction, TransactionKey, Transactions,
    check::{may_commit, may_roll_back, name_of_step},
    ended_tasks,
    errors::{checked_text, unknown, unstored},
    gone,
};
use mgp_transport::seam::{Refusal, RefusalKind, Reply, TokenGrant, ToolCall};
use mgp_types::{
    context::Principal,
    rpc::ErrorObject,
    transaction::{BeginTransactionParams, RollbackTransactionParams},
};
use std::future::poll_fn;
use tower_service::Service;

/// Judges a call that would be a step by its transaction and by `inner`.
pub(super) async fn foresee_step<S>(
    transactions: Transactions,
    (transaction, step): (String, Option<String>),
    call: ToolCall,
    mut inner: S,
) -> Result<Reply, S::Error>
where
    S: Service<ToolCall, Response = Reply>,
{
    let found = transactions.find(&call.principal, &transaction).await;
    if let Err(error) = found.and_then(|of| name_of_step(&of, step, &transactions.0.settings)) {
        return Ok(Refusal::new(RefusalKind::Transaction, error).recorded(&call.record));
    }
    poll_fn(|cx| inner.poll_ready(cx)).await?;
    inner.call(call).await
}

impl Transactions {
    async fn find(&self, caller: &Principal, id: &str) -> Result<Transaction, ErrorObject> {
        let found = self.0.store.load(&TransactionKey::new(caller, id)).await;
        found.map_err(|error| unstored(&error))?.ok_or_else(|| unknown(id))
    }

    /// Checks a request to begin a transaction without beginning it.
    ///
    /// # Errors
    /// Those of [`begin`](Self::begin).
    pub async fn foresee_begin(
        &self,
        caller: &Principal,
        params: BeginTransactionParams,
    ) -> Result<(), ErrorObject> {
        let new = self.new_transaction(caller, params)?;
        let (key, id) = (TransactionKey::new(caller, &new.id), new.id.clone());
        let outcome = self.0.store.foresee_insert(&key, new, self.bounds()).await;
        self.check_insert(&id, outcome.map_err(|error| unstored(&error))?)
    }

    /// Checks a request to commit a transaction without committing it.
    ///
    /// # Errors
    /// Those of [`commit`](Self::commit).
    pub async fn foresee_commit(&self, caller: &Principal, id: &str) -> Result<(), ErrorObject> {
        let mut of = gone::foreseen(&self.0, &TransactionKey::new(caller, id)).await?;
        // The commit waits for these steps.
        of.steps.retain(|step| !ended_tasks::ends(&self.0, step, caller));
        may_commit(&of).map(drop)
    }

    /// Checks a request to roll a transaction back with these credentials, without rolling it back.
    ///
    /// # Errors
    /// Those of [`rollback_for`](Self::rollback_for), except errors of the calls that undo the steps.
    pub async fn foresee_rollback(
        &self,
        caller: &Principal,
        params: &RollbackTransactionParams,
        granted: Option<&TokenGrant>,
    ) -> Result<(), ErrorObject> {
        checked_text("reason", params.reason.as_deref())?;
        may_roll_back(&self.find(caller, &params.transaction_id).await?, granted).map(drop)
    }

    /// Checks a request for the state of a transaction.
    ///
    /// # Errors
    /// Those of [`status`](Self::status).
    pub async fn foresee_status(&self, caller: &Principal, id: &str) -> Result<(), ErrorObject> {
        self.find(caller, id).await.map(drop)
    }
}
