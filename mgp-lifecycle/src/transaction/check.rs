//! Checks of requests, and of their dry runs, against the state of their transaction.

use super::{Step, Transaction, engine::conflict, step_end::check_granted};
use mgp_transport::seam::TokenGrant;
use mgp_types::{
    error::ErrorCode,
    rpc::ErrorObject,
    transaction::{StepState, TransactionState},
};

/// Returns whether a commit changes the state of a transaction.
///
/// # Errors
/// 4000 (`TRANSACTION_CONFLICT`) if the transaction cannot be committed.
pub(super) fn may_commit(of: &Transaction) -> Result<bool, ErrorObject> {
    let running = of.steps.iter().find(|step| step.state == StepState::Running);
    match (of.state, running) {
        (TransactionState::Committed, _) => Ok(false),
        (TransactionState::Active, None) => Ok(true),
        (TransactionState::Active, Some(Step { id, task: None, .. })) => {
            Err(conflict(&format!("step {id:?} still runs: wait for its answer")))
        }
        (TransactionState::Active, Some(Step { id, task: Some(task), .. })) => Err(conflict(&format!(
            "step {id:?} still runs at its server, as the task {task:?}: wait for the end of the task, or cancel it"
        ))),
        (state, _) => Err(conflict(&format!("transaction {:?} is {state}: it cannot be committed", of.id))),
    }
}

/// Returns whether a request for a rollback, with these credentials, begins one.
///
/// # Errors
/// 4000 (`TRANSACTION_CONFLICT`) if the transaction was committed; 1001 if the credentials do not allow a call that undoes a step.
pub(super) fn may_roll_back(of: &Transaction, granted: Option<&TokenGrant>) -> Result<bool, ErrorObject> {
    match of.state {
        TransactionState::RollingBack | TransactionState::RolledBack => Ok(false),
        TransactionState::Committed => {
            Err(conflict(&format!("transaction {:?} is committed: it cannot be rolled back", of.id)))
        }
        TransactionState::Active | TransactionState::PartiallyRolledBack => {
            check_all_granted(of, granted).map(|()| true)
        }
    }
}

/// Checks that a caller's credentials allow every call that undoes a step.
fn check_all_granted(of: &Transaction, granted: Option<&TokenGrant>) -> Result<(), ErrorObject> {
    for step in of.steps.iter().filter(|step| step.state != StepState::Compensated) {
        let Some(undo) = &step.compensation else { continue };
        check_granted(granted, &step.server_id, &undo.tool).map_err(|denied| {
            ErrorCode::AccessDenied
                .error(format!("the token does not allow the call that undoes step {:?}: {denied}", step.id))
        })?;
    }
    Ok(())
}
