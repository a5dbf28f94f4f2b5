//! The handle of a task.

use super::{
    TaskError,
    request::{look, read, request},
    result,
};
use crate::{client::caller::Caller, session::AnsweredKeys};
use mgp_transport::seam::CallError;
use mgp_types::{
    mcp::{
        CallToolResult,
        tasks::{self, CancelTask, TaskForm, TaskStatus, core::GetTaskPayload, core::TaskParams},
    },
    rpc::{Call, JsonRpcCode},
};
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
    /// The server's form of the task.
    form: TaskForm,
    id: String,
    state: Mutex<State>,
    pub(super) answered: AnsweredKeys,
}

/// The client's knowledge of a task.
#[derive(Debug)]
struct State {
    /// The last known state of the task, without the members that belong to its status.
    seen: tasks::Task,
    /// The time from which the task may be polled again.
    next_look: Instant,
}

impl Task {
    pub(super) fn new(caller: Caller, form: TaskForm, seen: &tasks::Task) -> Self {
        let (id, seen) = (seen.task_id.clone(), seen.without_outcome());
        let state = Mutex::new(State { seen, next_look: Instant::now() });
        Self(Arc::new(Inner { caller, form, id, state, answered: AnsweredKeys::default() }))
    }

    /// Returns the task's id. Anyone who knows the id can use the task, if the server cannot tell its clients apart.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Returns the last known status of the task. [`refresh`](Self::refresh) updates it.
    #[must_use]
    pub fn status(&self) -> TaskStatus {
        self.0.state.lock().seen.status
    }

    /// Returns the server's message about the status, if there is one.
    #[must_use]
    pub fn status_message(&self) -> Option<String> {
        self.0.state.lock().seen.status_message.clone()
    }

    /// Returns the time for which the server keeps the task from its creation, or `None` if the time is unlimited.
    #[must_use]
    pub fn ttl(&self) -> Option<Duration> {
        self.0.state.lock().seen.ttl_ms.map(Duration::from_millis)
    }

    /// Returns the server's interval for polling the task. [`result`](Self::result) keeps to the interval, within the
    /// [`Limits`](crate::client::Limits) of the client; [`refresh`](Self::refresh) polls at once.
    #[must_use]
    pub fn poll_interval(&self) -> Option<Duration> {
        poll_interval(&self.0.state.lock().seen)
    }

    /// Queries the server for the status of the task.
    ///
    /// # Errors
    /// [`TaskError::Call`].
    pub async fn refresh(&self) -> Result<TaskStatus, TaskError> {
        self.note(&look(&self.0.caller, self.form(), &self.0.id).await?)
    }

    /// Waits for the end of the task, and returns its result. Questions of the task in the meantime are answered by the
    /// client's handlers, each once. If a handler fails, this function fails, too, and the task keeps waiting for the answer.
    ///
    /// This function may be called again, even after an error, and several times concurrently. Its time limit is `task_timeout`
    /// of the client's [`Limits`](crate::client::Limits).
    ///
    /// # Errors
    /// [`TaskError`]. A tool that ran and failed has a result that reports the failure.
    pub async fn result(&self) -> Result<CallToolResult, TaskError> {
        self.result_within(self.0.caller.limits.task_timeout).await
    }

    /// Waits like [`result`](Self::result), for at most `limit`.
    ///
    /// # Errors
    /// [`TaskError`]; [`TaskError::Timeout`] if the task continues.
    pub async fn result_within(&self, limit: Duration) -> Result<CallToolResult, TaskError> {
        let result = async {
            match self.form().has(GetTaskPayload::METHOD) {
                true => result::asked(self).await,
                false => result::looked_at(self).await,
            }
        };
        match tokio::time::timeout(limit, result).await {
            Ok(result) => result,
            Err(_) => Err(TaskError::Timeout { id: self.0.id.clone(), limit }),
        }
    }

    /// Cancels the task, and returns its status afterwards. A task that has already ended is not changed. In the stateless era, a
    /// server may take some time to cancel it.
    ///
    /// # Errors
    /// [`TaskError::Call`], and [`TaskError::Unsupported`] if the server does not cancel tasks.
    pub async fn cancel(&self) -> Result<TaskStatus, TaskError> {
        if self.form().is_by_client() && !self.0.caller.session.greeting.capabilities.cancels_tasks() {
            let expected = "tasks.cancel in its capabilities";
            return Err(TaskError::Unsupported { what: "cancel tasks", expected });
        }
        match request::<CancelTask>(&self.0.caller, &TaskParams::new(self.id())).await {
            Ok(cancelled) if self.form().is_by_client() => {
                self.note(&read::<CancelTask>(self.form(), &cancelled)?)
            }
            Ok(_) => self.refresh().await,
            // A task that has ended is not changed.
            Err(CallError::Peer(error))
                if error.code == i64::from(JsonRpcCode::InvalidParams) && self.form().is_by_client() =>
            {
                match self.refresh().await {
                    Ok(status) if status.is_terminal() => Ok(status),
                    Ok(_) | Err(_) => Err(CallError::Peer(error).into()),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn form(&self) -> TaskForm {
        self.0.form
    }

    pub(super) fn caller(&self) -> &Caller {
        &self.0.caller
    }

    /// Stores the state from the server, and returns the status. The state of a task that has ended does not change.
    pub(super) fn note(&self, seen: &tasks::Task) -> Result<TaskStatus, TaskError> {
        if seen.task_id != self.0.id {
            let problem = format!("expected the task {:?}, found {:?}", self.0.id, seen.task_id);
            return Err(CallError::Unreadable(problem).into());
        }
        let mut state = self.0.state.lock();
        state.next_look = Instant::now() + self.0.caller.limits.between_looks(poll_interval(seen));
        if !state.seen.status.is_terminal() {
            state.seen = seen.without_outcome();
        }
        Ok(state.seen.status)
    }

    /// Stores the status of a task that has ended.
    pub(super) fn ended(&self, status: TaskStatus) {
        self.0.state.lock().seen.status = status;
    }

    /// Waits until the task may be polled again, and counts this as a poll, even if the caller is then dropped. A task that has
    /// ended may be polled at any time.
    pub(super) async fn may_look(&self) {
        loop {
            let from = {
                let mut state = self.0.state.lock();
                let now = Instant::now();
                if state.seen.status.is_terminal() || state.next_look <= now {
                    state.next_look = now + self.0.caller.limits.between_looks(poll_interval(&state.seen));
                    return;
                }
                state.next_look
            };
            sleep_until(from).await;
        }
    }
}

fn poll_interval(task: &tasks::Task) -> Option<Duration> {
    task.poll_interval_ms.map(Duration::from_millis)
}
