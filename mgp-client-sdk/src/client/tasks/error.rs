//! Why a task brought no result.

use mgp_transport::seam::CallError;
use mgp_types::rpc::ErrorObject;
use std::{fmt, time::Duration};

/// Why a task was not made, or brought no result.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// The server cannot do this with tasks. It was sent nothing.
    #[error("the server cannot {what}: expected {expected}")]
    Unsupported {
        /// What it cannot do.
        what: &'static str,
        /// What it would have to say of itself.
        expected: &'static str,
    },
    /// The server could not be asked, or answered with an error: for a task that it does not know, or keeps no longer, -32602.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The task failed.
    #[error("the task failed: {0}")]
    Failed(ErrorObject),
    /// The task was cancelled.
    #[error("the task was cancelled{}", message.as_ref().map(|message| format!(": {message}")).unwrap_or_default())]
    Cancelled {
        /// What the server says of it.
        message: Option<String>,
    },
    /// The task did not end in time. It goes on.
    #[error("the task {id:?} did not end within {limit:?}, and goes on")]
    TimeLimit {
        /// The task.
        id: String,
        /// For how long it was waited for.
        limit: Duration,
    },
}

// A `main` that returns the error prints this form.
impl fmt::Debug for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
