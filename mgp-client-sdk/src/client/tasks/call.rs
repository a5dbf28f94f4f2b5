//! A call that is to become a task, and what it has become.

use super::{Task, TaskError};
use mgp_types::{json::RawJson, mcp::CallToolResult};
use std::time::Duration;

/// A call of a tool that is to become a task.
#[derive(Debug, Clone)]
pub struct TaskCall {
    pub(super) name: String,
    pub(super) arguments: RawJson,
    pub(super) ttl: Option<Duration>,
}

impl TaskCall {
    /// A call of a tool by its name.
    pub fn new(name: impl Into<String>, arguments: RawJson) -> Self {
        Self { name: name.into(), arguments, ttl: None }
    }

    /// How long the task is to be kept from when it is made. A server may keep it for less time; in the stateless era it is not asked,
    /// and decides alone.
    #[must_use]
    pub fn keep_for(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }
}

/// What a call has become that was to become a task.
#[derive(Debug)]
pub enum TaskStart {
    /// A task, which goes on at the server.
    Task(Task),
    /// The server answered at once, and there is no task.
    Answered(CallToolResult),
}

impl TaskStart {
    /// The task, where there is one.
    #[must_use]
    pub fn task(&self) -> Option<&Task> {
        match self {
            Self::Task(task) => Some(task),
            Self::Answered(_) => None,
        }
    }

    /// The result: that of the task, for which this waits as [`Task::result`] does, or the one that is there already.
    ///
    /// # Errors
    /// [`TaskError`].
    pub async fn result(self) -> Result<CallToolResult, TaskError> {
        match self {
            Self::Task(task) => task.result().await,
            Self::Answered(result) => Ok(result),
        }
    }
}
