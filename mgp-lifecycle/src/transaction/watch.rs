//! Rolls back the expired transactions of this process and those of ended processes, and settles the steps of the latter. The transactions of
//! another running process are left to it, because it may have other servers.

use super::{Transaction, TransactionEvent, TransactionKey, gone, inner::Inner, rollback};
use jiff::{SignedDuration, Timestamp};
use mgp_types::{
    rpc::ErrorObject,
    transaction::{StepState, TransactionState},
};
use std::sync::{Arc, Weak};
use tokio::time::{MissedTickBehavior, interval};

/// The number of checks between two removals of ended transactions.
const SWEEP_EACH: u64 = 600;

/// Rolls back abandoned transactions until the last handle is dropped.
pub(super) async fn watch(watched: Weak<Inner>) {
    let Some(look) = watched.upgrade().map(|inner| inner.settings.look) else { return };
    let mut ticks = interval(look);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for tick in 0_u64.. {
        ticks.tick().await;
        let Some(inner) = watched.upgrade() else { return };
        match inner.store.due(Timestamp::now()).await {
            Ok(due) => {
                for (key, of) in due {
                    look_at(&inner, &key, of).await;
                }
            }
            Err(error) => tracing::warn!(%error, "open transactions could not be read"),
        }
        if tick.is_multiple_of(SWEEP_EACH) {
            sweep(&inner).await;
        }
    }
}

async fn look_at(inner: &Arc<Inner>, key: &TransactionKey, of: Transaction) {
    let Ok(of) = gone::settle(inner, key, of).await else { return };
    let is_due = match of.state {
        TransactionState::Active => {
            let runs = of.steps.iter().any(|step| step.state == StepState::Running);
            of.is_idle(Timestamp::now()) && !runs
        }
        TransactionState::RollingBack => !inner.rolling.lock().contains_key(key),
        _ => false,
    };
    if is_due && take_over(inner, key, of).await.is_ok() {
        drop(rollback::begin(inner, key, None));
    }
}

/// Makes this process the owner of a rollback, if the transaction is its own or the owner has ended, and the transaction is unchanged since
/// it was `seen`.
///
/// # Errors
/// An error if another process owns the transaction.
pub(super) async fn take_over(
    inner: &Arc<Inner>,
    key: &TransactionKey,
    seen: Transaction,
) -> Result<(), ErrorObject> {
    let is_own = seen.owner == inner.store.me();
    if !is_own && inner.store.is_alive(&seen.owner).await.unwrap_or(true) {
        return Err(ErrorObject::internal("its process runs"));
    }
    let was_active = seen.state == TransactionState::Active;
    let me = inner.store.me().to_owned();
    let take = move |of: &mut Transaction| {
        // Another process was first.
        if (of.state, of.active_at, &of.owner) != (seen.state, seen.active_at, &seen.owner) {
            return Err(ErrorObject::internal("it went on"));
        }
        match of.state {
            TransactionState::Active => {
                let reason = format!("no step came for {} s", of.timeout_seconds);
                of.roll_back(Some(reason), me);
            }
            _ => of.owner = me,
        }
        Ok(())
    };
    let of = inner.update(key, take).await?;
    if was_active {
        inner.tell(TransactionEvent::RollbackBegun, &of, None).await;
    }
    Ok(())
}

async fn sweep(inner: &Inner) {
    let kept = SignedDuration::try_from(inner.settings.kept).unwrap_or(SignedDuration::MAX);
    let Ok(before) = Timestamp::now().checked_sub(kept) else { return };
    if let Err(error) = inner.store.sweep(before).await {
        tracing::warn!(%error, "ended transactions could not be removed");
    }
}
