//! Dry runs: the errors that requests and steps would get, without changing a transaction.

use super::{
    Transaction, TransactionKey, TransactionLayer, TransactionSettings, Transactions,
    check::{may_commit, may_roll_back},
    engine::{checked_text, conflict, unknown, unstored},
    gone, step_task,
};
use jiff::Timestamp;
use mgp_transport::seam::{Refusal, RefusalKind, Reply, TokenGrant, ToolCall};
use mgp_types::{
    context::Principal,
    error::ErrorCode,
    rpc::ErrorObject,
    transaction::{BeginTransactionParams, RollbackTransactionParams, StepState, TransactionState},
};
use std::future::poll_fn;
use tower_service::Service;

/// Judges a call that would be a step by its transaction and by `inner`.
pub(super) async fn foresee_step<S>(
    layer: TransactionLayer,
    (transaction, step): (String, Option<String>),
    call: ToolCall,
    mut inner: S,
) -> Result<Reply, S::Error>
where
    S: Service<ToolCall, Response = Reply>,
{
    let transactions = &layer.transactions;
    let found = transactions.find(&call.principal, &transaction).await;
    if let Err(error) = found.and_then(|of| name_of_step(&of, step, &transactions.0.settings)) {
        return Ok(Refusal::new(RefusalKind::Transaction, error).recorded(&call.record));
    }
    poll_fn(|cx| inner.poll_ready(cx)).await?;
    inner.call(call).await
}

/// Returns the name of a step that the transaction accepts.
///
/// # Errors
/// The refusal of a step that does not fit its transaction.
pub(super) fn name_of_step(
    of: &Transaction,
    name: Option<String>,
    settings: &TransactionSettings,
) -> Result<String, ErrorObject> {
    let TransactionSettings { steps: most, transaction_bytes: most_bytes, .. } = settings;
    if of.state != TransactionState::Active {
        return Err(conflict(&format!("transaction {:?} is {}: it takes no steps", of.id, of.state)));
    }
    if of.is_idle(Timestamp::now()) && !of.steps.iter().any(|step| step.state == StepState::Running) {
        return Err(conflict(&format!("transaction {:?} has expired: it is rolled back", of.id)));
    }
    if of.steps.len() >= *most {
        return Err(ErrorCode::ResourceExhausted
            .error_unsent(format!("transaction {:?} has {most} steps, which is the limit", of.id)));
    }
    if of.compensation_bytes() >= *most_bytes {
        return Err(ErrorCode::ResourceExhausted.error_unsent(format!(
            "the calls that undo the steps of transaction {:?} have {most_bytes} bytes, which is the limit",
            of.id
        )));
    }
    let name = name.unwrap_or_else(|| format!("step-{}", of.steps.len() + 1));
    if of.steps.iter().any(|step| step.id == name) {
        return Err(conflict(&format!("transaction {:?} has a step {name:?} already", of.id)));
    }
    Ok(name)
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
        of.steps.retain(|step| !step_task::ends(&self.0, step, caller));
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
