//! The extractor that lets a handler decide when its call becomes a task.

use super::TaskHandle;
use crate::{Call, from_call::FromCall, needs::Needs};
use futures_util::task::AtomicWaker;
use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Waker,
};
use tokio::sync::watch;

/// The handler's decision when its call becomes a task. The [module](crate::task) shows when the handler decides, and when the
/// client does.
///
/// The tool must declare with [`Tool::task`](crate::Tool::task) that it runs as a task. Otherwise the server fails to build.
///
/// ```
/// use mgp_server_sdk::{
///     RawJson, Tool, ToolError,
///     ask::Ask,
///     mcp::ElicitParams,
///     task::{StartTask, TaskSupport},
/// };
///
/// async fn deploy(ask: Ask, start: StartTask) -> Result<&'static str, ToolError> {
///     let form = RawJson::parse(r#"{"type":"object","properties":{}}"#)?;
///     ask.elicit("sure", ElicitParams::form("Are you sure?", form)).await?;
///     // From here on, a client that supports tasks no longer waits for the answer.
///     if let Some(task) = start.begin().await {
///         task.say("deploying");
///     }
///     Ok("deployed")
/// }
/// let tool = Tool::new("deploy", "Deploys", deploy).task(TaskSupport::Optional);
/// ```
#[derive(Debug, Clone)]
pub struct StartTask(StartOutcome);

#[derive(Debug, Clone)]
enum StartOutcome {
    /// The task has begun with the call.
    Begun(TaskHandle),
    /// The task begins when the handler requests it.
    Possible(Slot),
    /// The call does not become a task.
    Never,
}

impl StartTask {
    /// Turns the call into a task, unless it is one: the call is answered with the task, and the handler continues in the
    /// background.
    ///
    /// Returns the task, or `None` if the call does not become one because its client does not support tasks. The handler then
    /// continues while the client waits. If the server can keep no more tasks, the call is answered with an error, and the
    /// handler is dropped at this point.
    pub async fn begin(&self) -> Option<TaskHandle> {
        match &self.0 {
            StartOutcome::Begun(task) => Some(task.clone()),
            StartOutcome::Possible(slot) => Some(slot.begin().await),
            StartOutcome::Never => None,
        }
    }
}

impl FromCall for StartTask {
    type Rejection = Infallible;

    fn needs(needs: &mut Needs) {
        needs.starting_tasks();
    }

    async fn from_call(call: &Call) -> Result<Self, Infallible> {
        let ext = &call.incoming().ext;
        let begun = ext.get::<TaskHandle>().cloned().map(StartOutcome::Begun);
        let possible = || ext.get::<Slot>().cloned().map(StartOutcome::Possible);
        Ok(Self(begun.or_else(possible).unwrap_or(StartOutcome::Never)))
    }
}

/// The slot for the task of a call, filled once the task has begun. Clones belong to the same call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slot(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    wanted: AtomicBool,
    /// The waker of the call's future, woken when the handler requests its task.
    waker: AtomicWaker,
    begun: watch::Sender<Option<TaskHandle>>,
}

impl Slot {
    /// Returns the task, if it has begun.
    pub(crate) fn task(&self) -> Option<TaskHandle> {
        self.0.begun.borrow().clone()
    }

    /// Registers the waker that is woken when the handler requests its task.
    pub(crate) fn wakes(&self, waker: &Waker) {
        self.0.waker.register(waker);
    }

    /// Returns `true` if the handler has requested its task.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.wanted.load(Ordering::Acquire)
    }

    /// Stores the task, which has begun.
    pub(crate) fn set(&self, task: TaskHandle) {
        self.0.begun.send_replace(Some(task));
    }

    async fn begin(&self) -> TaskHandle {
        self.0.wanted.store(true, Ordering::Release);
        self.0.waker.wake();
        let mut begun = self.0.begun.subscribe();
        loop {
            if let Some(task) = self.task() {
                return task;
            }
            // `self` owns the sender.
            let _ = begun.changed().await;
        }
    }
}
