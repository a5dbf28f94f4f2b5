//! A call to run as a task, and its outcome.

use super::{Task, TaskError};
use crate::client::tool_call::to_arguments;
use mgp_transport::seam::CallError;
use mgp_types::{json::RawJson, mcp::CallToolResult};
use serde::Serialize;
use std::time::Duration;

/// A call of a tool to run as a task.
#[derive(Debug, Clone)]
pub struct TaskCall {
    pub(super) name: String,
    pub(super) arguments: RawJson,
    pub(super) ttl: Option<Duration>,
}

impl TaskCall {
    /// Creates a call of a tool by its name.
    ///
    /// # Errors
    /// If the arguments cannot be written as a JSON object.
    pub fn new(name: impl Into<String>, arguments: impl Serialize) -> Result<Self, CallError> {
        Ok(Self { name: name.into(), arguments: to_arguments(&arguments)?, ttl: None })
    }

    /// Sets the requested lifetime of the task, from its creation. A server may keep it for less time. In the stateless era
    /// this is not sent, and the server decides.
    #[must_use]
    pub fn keep_for(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }
}

/// The outcome of a call to run as a task.
#[derive(Debug)]
pub enum TaskStart {
    /// The call became a task, which continues at the server.
    Task(Task),
    /// The server answered at once, and there is no task.
    Answered(CallToolResult),
}

impl TaskStart {
    /// Returns the task, if there is one.
    #[must_use]
    pub fn task(&self) -> Option<&Task> {
        match self {
            Self::Task(task) => Some(task),
            Self::Answered(_) => None,
        }
    }

    /// Returns the result: waits for the result of the task like [`Task::result`], or returns the existing one.
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
