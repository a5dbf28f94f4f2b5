//! The errors of a handler.

use crate::seam::{BoxError, Reply};
use mgp_types::rpc::ErrorObject;

/// An error of a handler. A failure that the handler has recorded itself is a reply instead.
#[derive(Debug)]
pub enum RouteError {
    /// The request is refused. A kernel records the refusal before it answers.
    Refusal {
        /// The error for the caller.
        error: ErrorObject,
        /// The prompt, resource or task that the request is about, for the audit trail.
        subject: Option<String>,
    },
    /// The infrastructure failed, for example because a time limit passed.
    Failure(BoxError),
}

impl RouteError {
    /// Returns the refusal of a request that is about `subject`.
    pub fn about(subject: impl Into<String>, error: ErrorObject) -> Self {
        Self::Refusal { error, subject: Some(subject.into()) }
    }

    /// Returns the answer to a request whose refusal is not recorded.
    ///
    /// # Errors
    /// Returns the failure of the infrastructure.
    pub fn unrecorded(self) -> Result<Reply, BoxError> {
        match self {
            Self::Refusal { error, .. } => Ok(Reply::error(error)),
            Self::Failure(error) => Err(error),
        }
    }
}

impl From<ErrorObject> for RouteError {
    fn from(error: ErrorObject) -> Self {
        Self::Refusal { error, subject: None }
    }
}
