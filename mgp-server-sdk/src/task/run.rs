//! The life of a task: from its creation, through its work and its end, to its removal after its time has expired.

use super::{
    StoredTask, TaskHandle, TaskState,
    job::Job,
    tasks::{Outcome, TaskRegistry, TaskWork},
    tell::Tell,
};
use futures_util::FutureExt;
use mgp_lifecycle::gate::Permit;
use mgp_transport::seam::CancelToken;
use mgp_types::rpc::ErrorObject;
use std::{panic::AssertUnwindSafe, sync::Arc};
use tokio::{
    sync::{oneshot, watch},
    time::{Instant, sleep_until},
};

/// The state that a running task needs.
pub(super) struct Run {
    pub(super) shared: Arc<TaskRegistry>,
    /// The time at which the task is removed.
    pub(super) until: Instant,
    pub(super) tell: Tell,
    /// Ends the task when the server stops.
    pub(super) stopped: CancelToken,
    /// Counts the task among the calls that a stopping server waits for.
    pub(super) permit: Permit,
}

impl Run {
    /// Runs a task from its creation to its removal.
    pub(super) async fn run(
        self,
        task: StoredTask,
        stop: CancelToken,
        work: impl FnOnce(TaskHandle) -> TaskWork,
        tell_created: oneshot::Sender<Result<StoredTask, ErrorObject>>,
    ) {
        let Self { shared, until, tell, stopped, permit } = self;
        if let Err(error) = shared.store.create(task.clone()).await {
            // If the client is gone, the receiver is dropped.
            let _ = tell_created.send(Err(error.into()));
            return;
        }
        let job = Arc::new(Job::new(task.clone(), stop, shared.limits.result_bytes));
        shared.running.lock().insert(job.id().clone(), job.clone());
        let changes = job.changes();
        tracing::debug!(task = task.id, tool = task.tool, "a call has become a task");
        if tell_created.send(Ok(task)).is_ok() {
            let working = async {
                work_off(&shared, &job, until, &stopped, work).await;
                permit.answered();
            };
            tokio::join!(working, keep(&shared, &job, changes, tell));
            tokio::select! {
                () = sleep_until(until) => {}
                // The record of a task in a shared store outlives this server.
                () = stopped.cancelled() => return shared.forget(&job),
            }
        }
        shared.forget(&job);
        if let Err(error) = shared.store.remove(job.id()).await {
            tracing::warn!(task = %job.id(), %error, "a task was not removed");
        }
    }
}

/// Runs the work until there is an outcome, the task is cancelled, its time has expired, or the server stops.
async fn work_off(
    shared: &TaskRegistry,
    job: &Arc<Job>,
    until: Instant,
    stopped: &CancelToken,
    work: impl FnOnce(TaskHandle) -> TaskWork,
) {
    let working = async {
        let work = work(TaskHandle(job.clone()));
        tokio::select! {
            // In this order, so that the handler does nothing more once the task is cancelled.
            biased;
            () = job.stop().cancelled() => None,
            () = stopped.cancelled() => {
                job.cancel("the server stops");
                None
            }
            () = sleep_until(until) => {
                job.cancel("its time has expired");
                None
            }
            outcome = work => Some(outcome),
        }
    };
    // Around all of the work, so that a panic in the drop of the handler is caught too.
    let outcome = AssertUnwindSafe(working).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!(task = %job.id(), tool = job.task().tool, "the handler of a task panicked");
        Some(Err(ErrorObject::internal("internal error: the handler panicked")))
    });
    let Some(outcome) = outcome else { return };
    let state = fitting(shared, outcome);
    let bytes = state.result_bytes();
    if !job.end(state, None) {
        shared.free_room(bytes);
    }
}

/// Returns the final state for an outcome, or an error if there is no room for the result. Reserves the room of the result.
fn fitting(shared: &TaskRegistry, outcome: Result<Outcome, ErrorObject>) -> TaskState {
    let limits = &shared.limits;
    let (state, bytes) = match outcome {
        Ok(Outcome { result, failed }) => {
            let bytes = result.as_bytes().len();
            (TaskState::Answered { result, failed }, bytes)
        }
        Err(error) => {
            let bytes = error.message.len() + error.data.as_ref().map_or(0, |data| data.as_bytes().len());
            (TaskState::Failed(error), bytes)
        }
    };
    let too_long = |most: usize| {
        let problem = format!("the result cannot be kept: expected at most {most} bytes, found {bytes}");
        TaskState::Failed(ErrorObject::internal(problem))
    };
    if bytes > limits.result_bytes {
        return too_long(limits.result_bytes);
    }
    match shared.take_room(state.result_bytes()) {
        Ok(()) => state,
        Err(left) => too_long(left),
    }
}

/// Stores and announces each change of a task, up to its end. Only this function stores changes, so that they are stored in
/// order.
async fn keep(shared: &TaskRegistry, job: &Job, mut changes: watch::Receiver<()>, tell: Tell) {
    loop {
        // The job owns the sender.
        let _ = changes.changed().await;
        let task = job.task();
        let ended = task.state.has_ended();
        match shared.store.update(task.clone()).await {
            Ok(()) if ended => drop(shared.running.lock().remove(job.id())),
            Ok(()) => {}
            Err(error) => tracing::warn!(task = task.id, %error, "a task was not stored"),
        }
        tell.changed(&task).await;
        if ended {
            return;
        }
    }
}
