//! The errors of tasks.

use mgp_transport::seam::CallError;
use mgp_types::rpc::ErrorObject;
use std::{fmt, time::Duration};

/// The error of a task that was not created, or has no result.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// The server does not support this operation on tasks. Nothing was sent.
    #[error("the server cannot {what}: expected {expected}")]
    Unsupported {
        /// The operation that the server does not support.
        what: &'static str,
        /// The required declaration of the server.
        expected: &'static str,
    },
    /// The request failed, or the server answered with an error. For an unknown or expired task, the code is -32602.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The task failed.
    #[error("the task failed: {0}")]
    Failed(ErrorObject),
    /// The task was cancelled.
    #[error("the task was cancelled{}", message.as_ref().map(|message| format!(": {message}")).unwrap_or_default())]
    Cancelled {
        /// The server's message about the task.
        message: Option<String>,
    },
    /// The task did not end in time, and continues.
    #[error("the task {id:?} did not end within {limit:?}, and goes on")]
    Timeout {
        /// The id of the task.
        id: String,
        /// The time limit of the wait.
        limit: Duration,
    },
}

// A `main` that returns the error prints this form.
impl fmt::Debug for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
