//! A task, as who began it sees it.

use super::{TaskError, core, extension, form::Form, questions::Answered, shown::Shown};
use crate::client::caller::Caller;
use mgp_transport::seam::CallError;
use mgp_types::mcp::{CallToolResult, tasks::TaskStatus};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::{Instant, sleep_until};

/// A task at a server. It comes from [`Client::call_tool_as_task`](crate::client::Client::call_tool_as_task), or by its id from
/// [`Client::task`](crate::client::Client::task).
///
/// A clone is the same task. Dropping them all leaves it running: only [`cancel`](Self::cancel) ends it. They do not keep their client
/// connected.
#[derive(Debug, Clone)]
pub struct Task(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    caller: Caller,
    form: Form,
    id: String,
    state: Mutex<State>,
}

/// What is known of a task here.
#[derive(Debug)]
pub(super) struct State {
    shown: Shown,
    pub(super) answered: Answered,
    /// From when on it may be looked at again.
    next_look: Instant,
}

impl Task {
    pub(super) fn new(caller: Caller, form: Form, shown: Shown) -> Self {
        let (id, answered, next_look) = (shown.id.clone(), Answered::default(), Instant::now());
        let state = Mutex::new(State { shown, answered, next_look });
        Self(Arc::new(Inner { caller, form, id, state }))
    }

    /// Its id. Who knows it can use the task, where the server cannot tell its clients apart.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// How far it had come when the server was last asked. [`refresh`](Self::refresh) asks.
    #[must_use]
    pub fn status(&self) -> TaskStatus {
        self.lock().shown.status
    }

    /// The same in words, where the server says so.
    #[must_use]
    pub fn status_message(&self) -> Option<String> {
        self.lock().shown.message.clone()
    }

    /// How long the server keeps it from when it was made; without end where `None`.
    #[must_use]
    pub fn ttl(&self) -> Option<Duration> {
        self.lock().shown.ttl
    }

    /// How long the server wants to be left alone between two looks. [`result`](Self::result) keeps to it, within the
    /// [`Limits`](crate::client::Limits) of the client; [`refresh`](Self::refresh) asks at once.
    #[must_use]
    pub fn poll_interval(&self) -> Option<Duration> {
        self.lock().shown.poll_interval
    }

    /// Asks the server how far it has come.
    ///
    /// # Errors
    /// [`TaskError::Call`].
    pub async fn refresh(&self) -> Result<TaskStatus, TaskError> {
        self.note(look(&self.0.caller, self.0.form, &self.0.id).await?)
    }

    /// Waits for its end, and brings its result. What the task asks meanwhile is answered by the client's handlers, each question
    /// once; where one of them fails, so does this, and the task waits on for its answer.
    ///
    /// It may be waited for again, also after an error and by several at once. It waits for as long as `task_time_limit` of the
    /// client's [`Limits`](crate::client::Limits) says.
    ///
    /// # Errors
    /// [`TaskError`]. A tool that ran and failed is a result that says so.
    pub async fn result(&self) -> Result<CallToolResult, TaskError> {
        self.result_within(self.0.caller.limits.task_time_limit).await
    }

    /// Waits as [`result`](Self::result) does, for so long at most.
    ///
    /// # Errors
    /// [`TaskError`]; [`TaskError::TimeLimit`] where the task goes on.
    pub async fn result_within(&self, limit: Duration) -> Result<CallToolResult, TaskError> {
        let result = async {
            match self.0.form {
                Form::Core { .. } => core::result(self).await,
                Form::Extension => extension::result(self).await,
            }
        };
        match tokio::time::timeout(limit, result).await {
            Ok(result) => result,
            Err(_) => Err(TaskError::TimeLimit { id: self.0.id.clone(), limit }),
        }
    }

    /// Cancels it, and says what it is then: a task that has ended already stays as it is, and in the stateless era a server may take
    /// its time.
    ///
    /// # Errors
    /// [`TaskError::Call`], and [`TaskError::Unsupported`] where the server cancels no tasks.
    pub async fn cancel(&self) -> Result<TaskStatus, TaskError> {
        match self.0.form {
            Form::Core { cancels: true } => core::cancel(self).await,
            Form::Core { cancels: false } => {
                let expected = "tasks.cancel in its capabilities";
                Err(TaskError::Unsupported { what: "cancel tasks", expected })
            }
            Form::Extension => extension::cancel(self).await,
        }
    }

    pub(super) fn caller(&self) -> &Caller {
        &self.0.caller
    }

    /// Keeps what the server shows of it. A task that has ended stays as it is.
    pub(super) fn note(&self, shown: Shown) -> Result<TaskStatus, TaskError> {
        if shown.id != self.0.id {
            let problem = format!("expected the task {:?}, found {:?}", self.0.id, shown.id);
            return Err(CallError::Unreadable(problem).into());
        }
        let mut state = self.lock();
        state.next_look = Instant::now() + self.0.caller.limits.between_looks(shown.poll_interval);
        if !state.shown.status.is_terminal() {
            state.shown = shown;
        }
        Ok(state.shown.status)
    }

    /// Keeps that it has ended.
    pub(super) fn ended(&self, status: TaskStatus) {
        self.lock().shown.status = status;
    }

    /// Ends when it may be looked at again, which counts as a look from then on: also one that nobody waits for any more. What has
    /// ended may always be looked at.
    pub(super) async fn may_look(&self) {
        loop {
            let from = {
                let mut state = self.lock();
                let now = Instant::now();
                if state.shown.status.is_terminal() || state.next_look <= now {
                    state.next_look = now + self.0.caller.limits.between_looks(state.shown.poll_interval);
                    return;
                }
                state.next_look
            };
            sleep_until(from).await;
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // Every critical section only moves whole values.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks at a task.
pub(super) async fn look(caller: &Caller, form: Form, id: &str) -> Result<Shown, CallError> {
    match form {
        Form::Core { .. } => core::look(caller, id).await,
        Form::Extension => extension::look(caller, id).await.map(|task| Shown::from(&task)),
    }
}
