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
        /// The declaration that the server would need.
        expected: &'static str,
    },
    /// The server could not be asked, or answered with an error. For a task that it does not know or no longer keeps, the code is -32602.
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
    /// The task did not end in time, and goes on.
    #[error("the task {id:?} did not end within {limit:?}, and goes on")]
    Timeout {
        /// The id of the task.
        id: String,
        /// The time that was waited for the task.
        limit: Duration,
    },
}

// A `main` that returns the error prints this form.
impl fmt::Debug for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
