//! Undoing the steps of a transaction, the last one first.

use super::{
    CompensationCall, CompensationEnd, CompensationMark, Step, Transaction, TransactionEvent, TransactionKey,
    gone, inner::Inner, record::brief,
};
use jiff::Timestamp;
use mgp_transport::seam::Peer;
use mgp_types::{
    context::ToolId,
    idempotency::IdempotencyKey,
    transaction::{StepState, TransactionState},
};
use sha2::{Digest, Sha256};
use std::{collections::hash_map::Entry, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

/// The interval at which a running step or another process's rollback is checked.
const LOOK: Duration = Duration::from_millis(50);

/// The number of attempts at a call that was not sent, and the pause before the second, which doubles.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(500);

/// Rolls back a transaction for a host that asked for it, or waits for a rollback in progress. The rollback continues if the future is
/// dropped: in its task, or by the [watch](super::watch).
pub(super) async fn finish(inner: &Arc<Inner>, key: &TransactionKey, host: Option<Peer>) {
    let until = Instant::now() + inner.settings.step_wait;
    let mut has_begun = false;
    if let Some(asked_last) = inner.rolling.lock().get_mut(key)
        && host.is_some()
    {
        asked_last.clone_from(&host);
    }
    loop {
        // A task that has just stored the end of the previous rollback may still exist.
        if !has_begun && let Some(task) = begin(inner, key, host.clone()) {
            has_begun = true;
            // An error is a panic, which the runtime has reported; the watch continues the transaction.
            let _ = task.await;
        }
        let is_going_on = |of: &Transaction| {
            of.state == TransactionState::RollingBack && (!has_begun || is_rolled(inner, key, of))
        };
        match inner.store.load(key).await {
            Ok(Some(of)) if is_going_on(&of) && Instant::now() < until => sleep(LOOK).await,
            _ => return,
        }
    }
}

/// Returns whether a task of this process, or another process, is rolling back a transaction.
fn is_rolled(inner: &Inner, key: &TransactionKey, of: &Transaction) -> bool {
    of.owner != inner.store.me() || inner.rolling.lock().contains_key(key)
}

/// Begins to roll back a transaction in a new task. Returns `None` if this process already does so; that rollback then serves this host if it
/// served none.
pub(super) fn begin(
    inner: &Arc<Inner>,
    key: &TransactionKey,
    host: Option<Peer>,
) -> Option<tokio::task::JoinHandle<()>> {
    match inner.rolling.lock().entry(key.clone()) {
        Entry::Occupied(mut asked_last) => {
            let asked_last = asked_last.get_mut();
            *asked_last = asked_last.take().or(host);
            return None;
        }
        Entry::Vacant(free) => free.insert(host),
    };
    let rolling = RollbackTask { inner: inner.clone(), key: key.clone() };
    let told = inner.clone();
    Some(tokio::spawn(async move {
        // Reported after the rollback is unregistered, so that a host that asks meanwhile starts a new rollback.
        if let Some(of) = rolling.run().await {
            told.tell(TransactionEvent::RollbackEnded, &of, None).await;
        }
    }))
}

/// A running rollback.
struct RollbackTask {
    inner: Arc<Inner>,
    key: TransactionKey,
}

impl Drop for RollbackTask {
    fn drop(&mut self) {
        self.inner.rolling.lock().remove(&self.key);
    }
}

/// The next action of a rollback.
enum RollbackAction {
    /// A step runs: its place, and the process that makes its call.
    Running(usize, String),
    /// No call is known that undoes a step.
    Impossible(usize),
    /// A step is to be undone.
    Undo(usize),
    Nothing,
}

fn next(of: &Transaction) -> RollbackAction {
    for (place, step) in of.steps.iter().enumerate().rev() {
        if step.state == StepState::Running {
            return RollbackAction::Running(place, step.owner.clone());
        }
    }
    for (place, step) in of.steps.iter().enumerate().rev() {
        match (step.state, &step.compensation) {
            (StepState::Ok | StepState::Compensating, None) => return RollbackAction::Impossible(place),
            (StepState::Ok | StepState::Compensating | StepState::Failed, Some(_)) => {
                return RollbackAction::Undo(place);
            }
            _ => {}
        }
    }
    RollbackAction::Nothing
}

impl RollbackTask {
    /// Undoes the steps, and returns the transaction if the rollback ended.
    async fn run(self) -> Option<Transaction> {
        let patience = Instant::now() + self.inner.settings.step_wait;
        loop {
            let of = self.inner.store.load(&self.key).await.ok()??;
            if of.state != TransactionState::RollingBack || of.owner != self.inner.store.me() {
                return None;
            }
            let went_on = match next(&of) {
                RollbackAction::Running(place, owner) => self.wait_for(place, &owner, patience).await,
                RollbackAction::Impossible(place) => {
                    self.settle(place, StepState::NotCompensated, |step| {
                        step.error.get_or_insert_with(|| "no call is known that undoes it".to_owned());
                    })
                    .await
                }
                RollbackAction::Undo(place) => self.undo(&of, place).await,
                RollbackAction::Nothing => {
                    let end = |of: &mut Transaction| {
                        // Unless the rollback ended meanwhile and was begun again.
                        if of.state == TransactionState::RollingBack
                            && matches!(next(of), RollbackAction::Nothing)
                        {
                            of.state = of.end_of_rollback();
                            // The retention time starts at the end, not at the start.
                            of.active_at = Timestamp::now().as_microsecond();
                        }
                        Ok(())
                    };
                    match self.inner.update(&self.key, end).await {
                        Ok(of) if of.state == TransactionState::RollingBack => true,
                        ended => return ended.ok(),
                    }
                }
            };
            if !went_on {
                return None;
            }
        }
    }

    /// Waits for a running step. Returns whether the rollback continues, as every method here does.
    async fn wait_for(&self, place: usize, owner: &str, patience: Instant) -> bool {
        let alive = self.inner.store.is_alive(owner).await.unwrap_or(true);
        if alive && Instant::now() < patience {
            sleep(LOOK).await;
            return true;
        }
        let reason = if alive { "it did not end" } else { gone::ENDED };
        let end = move |of: &mut Transaction| {
            // Unless the step has ended meanwhile.
            if let Some(step) = of.steps.get_mut(place).filter(|step| step.state == StepState::Running) {
                step.end_unknown(reason);
            }
        };
        self.change(end).await
    }

    async fn undo(&self, of: &Transaction, place: usize) -> bool {
        let Some(compensator) = self.inner.compensator.get() else { return false };
        let step = &of.steps[place];
        let Some(compensation) = &step.compensation else { return false };
        if step.state != StepState::Compensating && !self.settle(place, StepState::Compensating, |_| {}).await
        {
            return false;
        }
        let Some(key) = compensation_key(&self.key, of, step) else { return false };
        let call = CompensationCall {
            caller: of.caller.clone(),
            server_id: step.server_id.clone(),
            tool: compensation.tool.clone(),
            arguments: compensation.arguments.clone(),
            key,
            mark: CompensationMark {
                transaction: self.key.clone(),
                step: step.id.clone(),
                tool: ToolId::new(step.server_id.as_str(), compensation.tool.as_str()),
            },
            endpoint: step.endpoint.clone(),
            host: None,
        };
        // Sent by a process that is gone.
        let was_sent = step.is_sent;
        let of_attempt = step.attempt;
        let (mut pause, mut is_known) = (PAUSE, false);
        for attempt in 1..=TRIES {
            let host = self.inner.rolling.lock().get(&self.key).cloned().flatten();
            let call = CompensationCall { host, ..call.clone() };
            let (state, error, is_uncertain) = match compensator.compensate(call).await {
                CompensationEnd::Gone => return false,
                CompensationEnd::Unsent(_) if attempt < TRIES => {
                    sleep(pause).await;
                    pause *= 2;
                    continue;
                }
                CompensationEnd::Done => (StepState::Compensated, None, false),
                CompensationEnd::FailedBefore(reason) => {
                    is_known = true;
                    (StepState::CompensationFailed, Some(reason), false)
                }
                CompensationEnd::Failed(reason) | CompensationEnd::Unsent(reason) if was_sent => {
                    let reason = format!("it may have been undone before: {reason}");
                    (StepState::CompensationFailed, Some(reason), false)
                }
                CompensationEnd::Failed(reason) | CompensationEnd::Unsent(reason) => {
                    (StepState::CompensationFailed, Some(reason), false)
                }
                CompensationEnd::Unknown(reason) => {
                    (StepState::CompensationFailed, Some(format!("it may have been undone: {reason}")), true)
                }
            };
            let error = error.map(|error: String| brief(&error));
            let note = move |of: &mut Transaction| {
                // Unless the layer has stored its end, even if the step is being undone again by now.
                let is_open =
                    |step: &&mut Step| step.state == StepState::Compensating && step.attempt == of_attempt;
                if let Some(step) = of.steps.get_mut(place).filter(is_open) {
                    (step.state, step.error, step.is_uncertain) = (state, error, is_uncertain);
                    step.is_sent = is_uncertain || was_sent && !is_known;
                }
            };
            return self.change(note).await;
        }
        false
    }

    /// Stores the state of a step.
    async fn settle(
        &self,
        place: usize,
        state: StepState,
        note: impl FnOnce(&mut Step) + Send + 'static,
    ) -> bool {
        let settle = move |of: &mut Transaction| {
            if let Some(step) = of.steps.get_mut(place) {
                step.state = state;
                note(step);
            }
        };
        self.change(settle).await
    }

    /// Stores a change of the transaction.
    async fn change(&self, change: impl FnOnce(&mut Transaction) + Send + 'static) -> bool {
        let change = move |of: &mut Transaction| {
            change(of);
            Ok(())
        };
        match self.inner.update(&self.key, change).await {
            Ok(_) => true,
            Err(error) => {
                tracing::error!(%error, transaction = self.key.id, "a rollback could not be stored");
                false
            }
        }
    }
}

/// Returns the key of the call that undoes a step. The key stays the same after a crash, and changes after a failure of the call.
fn compensation_key(key: &TransactionKey, of: &Transaction, step: &Step) -> Option<IdempotencyKey> {
    let mut hash = Sha256::new();
    for part in [&key.principal, &of.id, &of.begun_at.to_string(), &step.id, &step.attempt.to_string()] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    // Letters, digits and one hyphen.
    IdempotencyKey::new(&format!("compensate-{digest}"))
}
