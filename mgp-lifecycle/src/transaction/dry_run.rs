//! Dry runs: the errors that requests and steps would meet, without a change of any transaction.

use super::{
    Transaction, TransactionKey, TransactionLayer, TransactionSettings, Transactions,
    engine::{checked_name, conflict, unknown, unstored},
};
use jiff::Timestamp;
use mgp_transport::seam::{Refusal, RefusalKind, Reply, ToolCall};
use mgp_types::{
    context::Principal,
    error::ErrorCode,
    rpc::ErrorObject,
    transaction::{BeginTransactionParams, StepState, TransactionState},
};
use std::future::poll_fn;
use tower_service::Service;

/// Judges a call that would be a step: by its transaction, and by `inner`.
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

/// Returns the name of a step that a transaction takes.
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
        return Err(conflict(&format!("the time of transaction {:?} is over: it is rolled back", of.id)));
    }
    if of.steps.len() >= *most {
        return Err(ErrorCode::ResourceExhausted
            .error_unsent(format!("transaction {:?} has {most} steps, which is the most", of.id)));
    }
    if of.compensation_bytes() >= *most_bytes {
        return Err(ErrorCode::ResourceExhausted.error_unsent(format!(
            "the calls that undo the steps of transaction {:?} have {most_bytes} bytes, which is the most",
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

    /// Checks a request to begin a transaction, and begins none.
    ///
    /// # Errors
    /// Those of [`begin`](Self::begin), but for the number of transactions that are open.
    pub async fn foresee_begin(
        &self,
        caller: &Principal,
        params: &BeginTransactionParams,
    ) -> Result<(), ErrorObject> {
        let id = &params.transaction_id;
        checked_name("transaction_id", id)?;
        self.check_begin(params)?;
        let found = self.0.store.load(&TransactionKey::new(caller, id)).await;
        match found.map_err(|error| unstored(&error))? {
            Some(_) => Err(conflict(&format!("there is a transaction {id:?} already: expected a new name"))),
            None => Ok(()),
        }
    }

    /// Checks a request to commit a transaction, and commits none.
    ///
    /// # Errors
    /// Those of [`commit`](Self::commit).
    pub async fn foresee_commit(&self, caller: &Principal, id: &str) -> Result<(), ErrorObject> {
        let of = self.find(caller, id).await?;
        let running = of.steps.iter().find(|step| step.state == StepState::Running);
        match (of.state, running) {
            (TransactionState::Committed, _) | (TransactionState::Active, None) => Ok(()),
            (TransactionState::Active, Some(step)) => {
                Err(conflict(&format!("step {:?} still runs: wait for its answer", step.id)))
            }
            (state, _) => {
                Err(conflict(&format!("transaction {:?} is {state}: it cannot be committed", of.id)))
            }
        }
    }

    /// Checks a request to roll a transaction back, and rolls none back.
    ///
    /// # Errors
    /// Those of [`rollback`](Self::rollback), but for what the calls that undo the steps meet.
    pub async fn foresee_rollback(&self, caller: &Principal, id: &str) -> Result<(), ErrorObject> {
        match self.find(caller, id).await? {
            of if of.state == TransactionState::Committed => {
                Err(conflict(&format!("transaction {:?} is committed: it cannot be rolled back", of.id)))
            }
            _ => Ok(()),
        }
    }
}
