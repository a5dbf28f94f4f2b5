//! Checks of requests, and of their dry runs, against the state of their transaction.

use super::{Step, Transaction, TransactionSettings, errors::conflict};
use jiff::Timestamp;
use mgp_transport::seam::{CredentialError, TokenGrant};
use mgp_types::{
    error::ErrorCode,
    mcp::CallTool,
    rpc::{Call, ErrorObject},
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

/// Checks that a caller's credentials allow a tool of a server, as for a call by name.
pub(super) fn check_granted(
    granted: Option<&TokenGrant>,
    server_id: &str,
    tool: &str,
) -> Result<(), CredentialError> {
    let Some(granted) = granted else { return Ok(()) };
    let full = format!("{server_id}__{tool}");
    [tool, &full].into_iter().try_for_each(|name| granted.check(CallTool::METHOD, Some(name)))
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
