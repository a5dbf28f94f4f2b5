//! The handle of a task.

use super::{TaskError, core, extension, form::Form, questions::Answered, shown::Shown};
use crate::client::caller::Caller;
use mgp_transport::seam::CallError;
use mgp_types::mcp::{CallToolResult, tasks::TaskStatus};
use parking_lot::Mutex;
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep_until};

/// A task at a server, from [`Client::call_tool_as_task`](crate::client::Client::call_tool_as_task), or by its id from
/// [`Client::task`](crate::client::Client::task).
///
/// Clones share the same task. Dropping all of them leaves the task running: only [`cancel`](Self::cancel) ends it. They do not
/// keep their client connected.
#[derive(Debug, Clone)]
pub struct Task(pub(super) Arc<Inner>);

#[derive(Debug)]
pub(super) struct Inner {
    caller: Caller,
    form: Form,
    id: String,
    pub(super) state: Mutex<State>,
}

/// The client's knowledge of a task.
#[derive(Debug)]
pub(super) struct State {
    shown: Shown,
    pub(super) answered: Answered,
    /// The time from which the task may be polled again.
    next_look: Instant,
}

impl Task {
    pub(super) fn new(caller: Caller, form: Form, shown: Shown) -> Self {
        let (id, answered, next_look) = (shown.id.clone(), Answered::default(), Instant::now());
        let state = Mutex::new(State { shown, answered, next_look });
        Self(Arc::new(Inner { caller, form, id, state }))
    }

    /// Returns the task's id. Anyone who knows the id can use the task, if the server cannot tell its clients apart.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Returns the status of the task when the server was last asked. [`refresh`](Self::refresh) asks again.
    #[must_use]
    pub fn status(&self) -> TaskStatus {
        self.0.state.lock().shown.status
    }

    /// Returns the server's message about the status, if there is one.
    #[must_use]
    pub fn status_message(&self) -> Option<String> {
        self.0.state.lock().shown.message.clone()
    }

    /// Returns the time for which the server keeps the task from its creation, or `None` if the time is unlimited.
    #[must_use]
    pub fn ttl(&self) -> Option<Duration> {
        self.0.state.lock().shown.ttl
    }

    /// Returns the interval at which the server wants the task to be polled. [`result`](Self::result) keeps to the interval, within
    /// the [`Limits`](crate::client::Limits) of the client; [`refresh`](Self::refresh) asks at once.
    #[must_use]
    pub fn poll_interval(&self) -> Option<Duration> {
        self.0.state.lock().shown.poll_interval
    }

    /// Asks the server for the status of the task.
    ///
    /// # Errors
    /// [`TaskError::Call`].
    pub async fn refresh(&self) -> Result<TaskStatus, TaskError> {
        self.note(look(&self.0.caller, self.0.form, &self.0.id).await?)
    }

    /// Waits for the end of the task, and returns its result. Questions that the task asks in the meantime are answered by the
    /// client's handlers, each once; if a handler fails, this function fails too, and the task keeps waiting for the answer.
    ///
    /// This function may be called again, also after an error, and several times concurrently. Its time limit is `task_time_limit`
    /// of the client's [`Limits`](crate::client::Limits).
    ///
    /// # Errors
    /// [`TaskError`]. A tool that ran and failed is a result that says so.
    pub async fn result(&self) -> Result<CallToolResult, TaskError> {
        self.result_within(self.0.caller.limits.task_time_limit).await
    }

    /// Waits as [`result`](Self::result) does, for at most `limit`.
    ///
    /// # Errors
    /// [`TaskError`]; [`TaskError::TimeLimit`] if the task goes on.
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

    /// Cancels the task, and returns its status afterwards. A task that has already ended stays as it is, and in the stateless era
    /// a server may take some time to cancel it.
    ///
    /// # Errors
    /// [`TaskError::Call`], and [`TaskError::Unsupported`] if the server does not cancel tasks.
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

    /// Stores the state that the server shows, and returns the status. The state of a task that has ended does not change.
    pub(super) fn note(&self, shown: Shown) -> Result<TaskStatus, TaskError> {
        if shown.id != self.0.id {
            let problem = format!("expected the task {:?}, found {:?}", self.0.id, shown.id);
            return Err(CallError::Unreadable(problem).into());
        }
        let mut state = self.0.state.lock();
        state.next_look = Instant::now() + self.0.caller.limits.between_looks(shown.poll_interval);
        if !state.shown.status.is_terminal() {
            state.shown = shown;
        }
        Ok(state.shown.status)
    }

    /// Stores the status of a task that has ended.
    pub(super) fn ended(&self, status: TaskStatus) {
        self.0.state.lock().shown.status = status;
    }

    /// Waits until the task may be polled again, and counts this as a poll, even if the caller is then dropped. A task that has
    /// ended may be polled at any time.
    pub(super) async fn may_look(&self) {
        loop {
            let from = {
                let mut state = self.0.state.lock();
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
}

/// Polls a task.
pub(super) async fn look(caller: &Caller, form: Form, id: &str) -> Result<Shown, CallError> {
    match form {
        Form::Core { .. } => core::look(caller, id).await,
        Form::Extension => extension::look(caller, id).await.map(|task| Shown::from(&task)),
    }
}
