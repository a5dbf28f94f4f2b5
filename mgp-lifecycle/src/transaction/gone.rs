//! Steps whose process is gone.

use super::{
    Step, Transaction, TransactionKey,
    errors::{unknown, unstored},
    inner::Inner,
};
use mgp_types::{rpc::ErrorObject, transaction::StepState};
use std::collections::HashSet;

/// The reason for the state of a step whose process was gone before its call ended.
pub(super) const ENDED: &str = "its gateway ended while it ran";

/// Returns a transaction after settling the steps whose process is gone.
///
/// # Errors
/// 4004 for an unknown transaction; 3001 if it cannot be read or stored.
pub(super) async fn settled(inner: &Inner, key: &TransactionKey) -> Result<Transaction, ErrorObject> {
    let found = inner.store.load(key).await.map_err(|error| unstored(&error))?;
    settle(inner, key, found.ok_or_else(|| unknown(&key.id))?).await
}

/// Marks steps as unknown if their process was gone before their calls ended, because no outcome will ever be reported.
///
/// # Errors
/// 3001 if the change cannot be stored.
pub(super) async fn settle(
    inner: &Inner,
    key: &TransactionKey,
    of: Transaction,
) -> Result<Transaction, ErrorObject> {
    let gone = gone(inner, &of).await;
    if gone.is_empty() {
        return Ok(of);
    }
    let settle = move |of: &mut Transaction| {
        end_steps(of, &gone);
        Ok(())
    };
    inner.update(key, settle).await
}

/// Returns a transaction as [`settled`] would leave it, without changing it.
///
/// # Errors
/// 4004 for an unknown transaction; 3001 if it cannot be read.
pub(super) async fn foreseen(inner: &Inner, key: &TransactionKey) -> Result<Transaction, ErrorObject> {
    let found = inner.store.load(key).await.map_err(|error| unstored(&error))?;
    let mut of = found.ok_or_else(|| unknown(&key.id))?;
    let gone = gone(inner, &of).await;
    end_steps(&mut of, &gone);
    Ok(of)
}

/// Returns the processes of running steps that are gone.
async fn gone(inner: &Inner, of: &Transaction) -> HashSet<String> {
    let mut gone = HashSet::new();
    for step in of.steps.iter().filter(|step| step.state == StepState::Running) {
        if !inner.store.is_alive(&step.owner).await.unwrap_or(true) {
            gone.insert(step.owner.clone());
        }
    }
    gone
}

fn end_steps(of: &mut Transaction, gone: &HashSet<String>) {
    let is_left = |step: &&mut Step| step.state == StepState::Running && gone.contains(&step.owner);
    for step in of.steps.iter_mut().filter(is_left) {
        step.end_unknown(ENDED);
    }
}
