//! How a handler decides when its call becomes a task.

use super::TaskHandle;
use crate::{
    Call,
    extract::{FromCall, Needs},
};
use std::{
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Waker,
};
use tokio::sync::watch;

/// Lets a handler decide when its call becomes a task. See the [module](crate::task) for who decides what.
///
/// The tool says with [`Tool::task`](crate::Tool::task) that it runs as one; without that, the server is not built.
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
///     // From here on nobody waits for the answer, where the client takes a task for it.
///     if let Some(task) = start.begin().await {
///         task.say("deploying");
///     }
///     Ok("deployed")
/// }
/// let tool = Tool::new("deploy", "Deploys", deploy).task(TaskSupport::Optional);
/// ```
#[derive(Debug, Clone)]
pub struct StartTask(Beginning);

#[derive(Debug, Clone)]
enum Beginning {
    /// It has begun with the call.
    Begun(TaskHandle),
    /// It begins when the handler says so.
    Possible(Slot),
    /// The call does not become a task.
    Never,
}

impl StartTask {
    /// Makes the call a task, if it is none: it is answered with the task, and the handler goes on in the background.
    ///
    /// Ends with the task, or with `None` where the call does not become one, because its client takes none: then the handler goes
    /// on while its client waits. Where the server can keep no more tasks, the call is answered with an error, and the handler is
    /// dropped here.
    pub async fn begin(&self) -> Option<TaskHandle> {
        match &self.0 {
            Beginning::Begun(task) => Some(task.clone()),
            Beginning::Possible(slot) => Some(slot.begin().await),
            Beginning::Never => None,
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
        let begun = ext.get::<TaskHandle>().cloned().map(Beginning::Begun);
        let possible = || ext.get::<Slot>().cloned().map(Beginning::Possible);
        Ok(Self(begun.or_else(possible).unwrap_or(Beginning::Never)))
    }
}

/// Where the task of a call appears once it has begun. A clone is the same call's.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slot(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    begun: watch::Sender<Option<TaskHandle>>,
}

#[derive(Debug, Default)]
struct State {
    wanted: bool,
    /// Who is woken when the handler wants its task.
    waker: Option<Waker>,
}

impl Default for Inner {
    fn default() -> Self {
        Self { state: Mutex::default(), begun: watch::Sender::new(None) }
    }
}

impl Slot {
    /// The task, where it has begun.
    pub(crate) fn task(&self) -> Option<TaskHandle> {
        self.0.begun.borrow().clone()
    }

    /// Who is woken when the handler wants its task.
    pub(crate) fn wakes(&self, waker: &Waker) {
        self.lock().waker = Some(waker.clone());
    }

    /// Whether the handler wants its task.
    pub(crate) fn is_wanted(&self) -> bool {
        self.lock().wanted
    }

    /// The task has begun.
    pub(crate) fn set(&self, task: TaskHandle) {
        self.0.begun.send_replace(Some(task));
    }

    async fn begin(&self) -> TaskHandle {
        let waker = {
            let mut state = self.lock();
            state.wanted = true;
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        let mut begun = self.0.begun.subscribe();
        loop {
            if let Some(task) = self.task() {
                return task;
            }
            // The sender is our own.
            let _ = begun.changed().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every critical section only moves whole values.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
