//! Steps whose tasks have ended, and whose ends are about to be stored.

use super::{Step, TransactionKey, gone, inner::Inner};
use mgp_types::{context::Principal, rpc::ErrorObject, transaction::TransactionState};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The longest time that a commit waits for steps whose tasks have ended, and the interval between checks.
const END_WAIT: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(10);

/// Waits for the ends of steps whose tasks have ended, because a caller that knows of the end may commit at once.
///
/// # Errors
/// 4004 for an unknown transaction; 3001 if it cannot be read or stored.
pub(super) async fn settle(
    inner: &Inner,
    key: &TransactionKey,
    caller: &Principal,
) -> Result<(), ErrorObject> {
    let until = Instant::now() + END_WAIT;
    loop {
        let of = gone::settled(inner, key).await?;
        let is_awaited = of.steps.iter().any(|step| ends(inner, step, caller));
        if of.state != TransactionState::Active || !is_awaited || Instant::now() >= until {
            return Ok(());
        }
        sleep(LOOK).await;
    }
}

/// Returns whether a running step is about to end, because its task has ended.
pub(super) fn ends(inner: &Inner, step: &Step, caller: &Principal) -> bool {
    let task = step.task.as_deref().zip(inner.follower.get());
    task.is_some_and(|(id, follower)| follower.has_ended(caller, id))
}
