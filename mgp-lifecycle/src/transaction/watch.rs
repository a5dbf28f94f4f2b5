//! Rolls back the transactions of this process whose time is over, and those of processes that have ended. Another process that runs may have
//! other servers, so its transactions are left to it.

use super::{Transaction, TransactionEvent, TransactionKey, engine::Inner, rollback};
use jiff::{SignedDuration, Timestamp};
use mgp_types::{
    rpc::ErrorObject,
    transaction::{StepState, TransactionState},
};
use std::sync::{Arc, Weak};
use tokio::time::{MissedTickBehavior, interval};

/// The number of looks between two removals of what is over.
const SWEEP_EACH: u64 = 600;

/// Rolls back abandoned transactions until the last handle is dropped.
pub(super) async fn watch(watched: Weak<Inner>) {
    let Some(look) = watched.upgrade().map(|inner| inner.settings.look) else { return };
    let mut ticks = interval(look);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for tick in 0_u64.. {
        ticks.tick().await;
        let Some(inner) = watched.upgrade() else { return };
        match inner.store.open().await {
            Ok(open) => {
                for (key, of) in open {
                    look_at(&inner, key, of).await;
                }
            }
            Err(error) => tracing::warn!(%error, "open transactions could not be read"),
        }
        if tick.is_multiple_of(SWEEP_EACH) {
            sweep(&inner).await;
        }
    }
}

async fn look_at(inner: &Arc<Inner>, key: TransactionKey, of: Transaction) {
    let is_due = match of.state {
        TransactionState::Active => {
            of.is_idle(Timestamp::now()) && is_left_to(inner, &of).await && !runs(inner, &of).await
        }
        TransactionState::RollingBack => {
            let is_under_way = inner.rolling.lock().contains(&key);
            !is_under_way && is_left_to(inner, &of).await
        }
        _ => false,
    };
    if !is_due {
        return;
    }
    let was_active = of.state == TransactionState::Active;
    let (me, seen) = (inner.store.me().to_owned(), of);
    let take = move |of: &mut Transaction| {
        // Somebody else was first.
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
    if let Ok(of) = inner.update(&key, take).await {
        if was_active {
            inner.tell(TransactionEvent::RollbackBegun, &of, None).await;
        }
        drop(rollback::begin(inner, &key));
    }
}

/// Returns whether this process may roll a transaction back: it is its own, or its process has ended.
async fn is_left_to(inner: &Inner, of: &Transaction) -> bool {
    of.owner == inner.store.me() || !inner.store.is_alive(&of.owner).await.unwrap_or(true)
}

/// Returns whether a step of a transaction runs.
async fn runs(inner: &Inner, of: &Transaction) -> bool {
    for step in of.steps.iter().filter(|step| step.state == StepState::Running) {
        if inner.store.is_alive(&step.owner).await.unwrap_or(true) {
            return true;
        }
    }
    false
}

async fn sweep(inner: &Inner) {
    let kept = SignedDuration::try_from(inner.settings.kept).unwrap_or(SignedDuration::MAX);
    let Ok(before) = Timestamp::now().checked_sub(kept) else { return };
    if let Err(error) = inner.store.sweep(before).await {
        tracing::warn!(%error, "transactions that are over could not be removed");
    }
}
