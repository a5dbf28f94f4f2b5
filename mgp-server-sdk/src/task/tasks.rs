//! The tasks of a server.

use super::{
    StoredTask, TaskForm, TaskHandle, TaskLimits, TaskOwner, TaskState, TaskStore, job::Job, run::Run,
    tell::Tell, wire,
};
use crate::Notifier;
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use mgp_lifecycle::gate::Gate;
use mgp_transport::seam::{CancelCause, CancelToken, Incoming, Peer, Reply};
use mgp_types::{json::RawJson, printable::quoted, rpc::ErrorObject};
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{sync::oneshot, time::Instant};

/// The tasks of a server. Clones belong to the same server; when the last clone is dropped, the tasks end.
#[derive(Debug, Clone)]
pub(crate) struct Tasks {
    pub(super) shared: Arc<TaskRegistry>,
    _last: Arc<EndsTasks>,
}

/// The state that the tasks of a server share.
#[derive(Debug)]
pub(super) struct TaskRegistry {
    pub(super) limits: TaskLimits,
    pub(super) store: Arc<dyn TaskStore>,
    pub(super) running: Mutex<HashMap<Arc<str>, Arc<Job>>>,
    /// The total size of all kept results, in bytes.
    kept_bytes: AtomicUsize,
    gate: Gate,
    notifier: Notifier,
    /// Ends every task. Renewed when the server is restarted.
    stopped: Mutex<CancelToken>,
}

/// A guard that ends a server's tasks on drop.
#[derive(Debug)]
struct EndsTasks(Arc<TaskRegistry>);

/// The outcome of a tool.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The result of the tool.
    pub(crate) result: RawJson,
    /// True if the tool failed.
    pub(crate) failed: bool,
}

/// The work of a tool that runs as a task.
pub(crate) type TaskWork = BoxFuture<'static, Result<Outcome, ErrorObject>>;

/// A call that is to become a task.
#[derive(Debug, Clone)]
pub(crate) struct NewTask {
    owner: TaskOwner,
    tool: String,
    pub(crate) form: TaskForm,
    /// The time for which the client asks to keep the task, in milliseconds.
    ttl: Option<u64>,
    peer: Option<Peer>,
    /// The handler's cancel token.
    pub(crate) stop: CancelToken,
}

impl NewTask {
    /// Creates a new task for a call. `ttl` is the time for which the client asks to keep the task, in milliseconds.
    pub(crate) fn of(incoming: &Incoming, tool: &str, form: TaskForm, ttl: Option<u64>) -> Self {
        let peer = incoming.peer().filter(|_| form.is_by_client()).map(Peer::unbound);
        let (owner, stop) = (TaskOwner::of(incoming), CancelToken::new());
        Self { owner, tool: tool.to_owned(), form, ttl, peer, stop }
    }
}

/// A task that was found, here or in the store.
#[derive(Debug)]
pub(super) enum FoundTask {
    /// The task runs in this process, or did until a moment ago.
    Here(Arc<Job>),
    /// The task is kept in the store.
    Kept(Box<StoredTask>),
}

impl FoundTask {
    /// Returns the current state of the task.
    pub(super) fn task(&self) -> StoredTask {
        match self {
            Self::Here(job) => job.task(),
            Self::Kept(task) => (**task).clone(),
        }
    }
}

impl Tasks {
    pub(crate) fn new(limits: TaskLimits, store: Arc<dyn TaskStore>, gate: Gate, notifier: Notifier) -> Self {
        let shared = Arc::new(TaskRegistry {
            limits,
            store,
            running: Mutex::default(),
            kept_bytes: AtomicUsize::new(0),
            gate,
            notifier,
            stopped: Mutex::default(),
        });
        Self { _last: Arc::new(EndsTasks(shared.clone())), shared }
    }

    /// Turns a call into a task: the work continues in the background, and the reply names the task. If the reply is dropped
    /// before the task is stored, there is no task.
    pub(crate) fn start(
        &self,
        new: NewTask,
        work: impl FnOnce(TaskHandle) -> TaskWork + Send + 'static,
    ) -> impl Future<Output = Reply> + Send + 'static {
        let (form, begun) = (new.form, self.begin(new, work));
        async move {
            let lost = |_| Err(ErrorObject::internal("internal error: the task was not created"));
            let created = match begun {
                Ok(told) => told.await.unwrap_or_else(lost),
                Err(error) => Err(error),
            };
            created.map_or_else(Reply::error, |task| Reply::ok(form.encode_created(&wire::task(&task))))
        }
    }

    fn begin(
        &self,
        NewTask { owner, tool, form: _, ttl, peer, stop }: NewTask,
        work: impl FnOnce(TaskHandle) -> TaskWork + Send + 'static,
    ) -> Result<oneshot::Receiver<Result<StoredTask, ErrorObject>>, ErrorObject> {
        let shared = &self.shared;
        let permit = shared.gate.enter().map_err(|refused| refused.to_error())?;
        let now = Timestamp::now();
        let task = StoredTask {
            id: new_id()?,
            owner,
            tool,
            state: TaskState::Working,
            message: None,
            created: now,
            updated: now,
            ttl: shared.limits.ttl_for(ttl),
            poll_interval: shared.limits.poll_interval,
        };
        let (tell_created, told) = oneshot::channel();
        let run = Run {
            shared: shared.clone(),
            until: Instant::now() + task.ttl,
            tell: Tell { peer, notifier: shared.notifier.clone() },
            stopped: shared.stopped.lock().clone(),
            permit,
        };
        tokio::spawn(run.run(task, stop, work, tell_created));
        Ok(told)
    }

    /// Ends all running tasks.
    pub(crate) fn stop(&self) {
        self.shared.stopped.lock().cancel(CancelCause::Method);
    }

    /// Allows tasks to run again after a [`stop`](Self::stop).
    pub(crate) fn resume(&self) {
        *self.shared.stopped.lock() = CancelToken::new();
    }

    /// Returns the task with an id, if the task belongs to the principal of `asker`.
    pub(super) async fn find(&self, id: &str, asker: &TaskOwner) -> Result<FoundTask, ErrorObject> {
        let here = self.shared.running.lock().get(id).cloned();
        let found = match here {
            Some(job) => Some(FoundTask::Here(job)),
            None => {
                let kept = self.shared.store.get(id).await?;
                kept.filter(|task| !task.has_expired(Timestamp::now()))
                    .map(|task| FoundTask::Kept(Box::new(task)))
            }
        };
        found.filter(|found| asker.is_same_principal(&found.task().owner)).ok_or_else(|| unknown(id))
    }
}

impl TaskRegistry {
    /// Removes a task of this process, and frees the room of its result.
    pub(super) fn forget(&self, job: &Job) {
        self.running.lock().remove(job.id());
        self.free_room(job.task().state.result_bytes());
    }

    /// Reserves room for a result. If there is too little, returns the remaining room, in bytes.
    pub(super) fn take_room(&self, bytes: usize) -> Result<(), usize> {
        let fits = |kept: usize| kept.checked_add(bytes).filter(|all| *all <= self.limits.kept_bytes);
        let taken = self.kept_bytes.fetch_update(Ordering::AcqRel, Ordering::Acquire, fits);
        taken.map(drop).map_err(|kept| self.limits.kept_bytes.saturating_sub(kept))
    }

    /// Frees the room of a result that is no longer kept.
    pub(super) fn free_room(&self, bytes: usize) {
        self.kept_bytes.fetch_sub(bytes, Ordering::AcqRel);
    }
}

impl Drop for EndsTasks {
    fn drop(&mut self) {
        self.0.stopped.lock().cancel(CancelCause::Method);
    }
}

/// Returns an id of 128 random bits.
fn new_id() -> Result<String, ErrorObject> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits)
        .map_err(|error| ErrorObject::internal(format!("internal error: failed to make an id: {error}")))?;
    Ok(mgp_types::hex::encode(bits))
}

fn unknown(id: &str) -> ErrorObject {
    ErrorObject::invalid_params(format!(
        "unknown task: {}: expected the taskId of a task of this caller that is still kept",
        quoted(id)
    ))
}
