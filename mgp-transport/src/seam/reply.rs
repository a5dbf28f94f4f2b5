//! The answer of a service.

use mgp_types::{
    json::{JsonError, RawJson},
    rpc::{ErrorObject, RawResult},
};
use serde::Serialize;

/// The answer of a service. [`Reply::none`] is the only legal answer to a notification.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply(Answer);

#[derive(Debug, Clone, PartialEq)]
enum Answer {
    None,
    Outcome(Result<RawResult, ErrorObject>),
    Exact(ErrorObject),
    Cancelled(RawResult),
}

impl Reply {
    /// Creates a reply without an answer.
    #[must_use]
    pub const fn none() -> Self {
        Self(Answer::None)
    }

    /// Creates a reply with a result.
    #[must_use]
    pub const fn ok(result: RawResult) -> Self {
        Self(Answer::Outcome(Ok(result)))
    }

    /// Creates a reply with a result from a Rust value. A value that cannot be JSON becomes an internal error.
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Self {
        let internal =
            |error: JsonError| ErrorObject::internal(format!("failed to write the result: {error}"));
        Self(Answer::Outcome(RawJson::from_value(value).map_err(internal)))
    }

    /// Creates a reply with an error: a refusal or failure that the protocol can express.
    #[must_use]
    pub const fn error(error: ErrorObject) -> Self {
        Self(Answer::Outcome(Err(error)))
    }

    /// Creates a reply with an error that is sent unchanged. Other errors are translated to plain MCP if the connection did not
    /// negotiate MGP.
    #[must_use]
    pub const fn exact_error(error: ErrorObject) -> Self {
        Self(Answer::Exact(error))
    }

    /// Creates the reply of a cancelled call; `partial` is its result so far. The connection's edge decides whether the reply is sent.
    #[must_use]
    pub const fn cancelled(partial: RawResult) -> Self {
        Self(Answer::Cancelled(partial))
    }

    /// Returns `true` if the call was cancelled.
    #[must_use]
    pub const fn is_cancelled(&self) -> bool {
        matches!(self.0, Answer::Cancelled(_))
    }

    /// Returns the result, if there is one: of a cancelled call, the partial result.
    #[must_use]
    pub const fn result(&self) -> Option<&RawResult> {
        match &self.0 {
            Answer::Outcome(Ok(result)) | Answer::Cancelled(result) => Some(result),
            _ => None,
        }
    }

    /// Returns the error, if there is one.
    #[must_use]
    pub const fn as_error(&self) -> Option<&ErrorObject> {
        match &self.0 {
            Answer::Outcome(Err(error)) | Answer::Exact(error) => Some(error),
            _ => None,
        }
    }

    /// Changes the error, if there is one.
    #[must_use]
    pub fn map_error(self, change: impl FnOnce(ErrorObject) -> ErrorObject) -> Self {
        Self(match self.0 {
            Answer::Outcome(Err(error)) => Answer::Outcome(Err(change(error))),
            Answer::Exact(error) => Answer::Exact(change(error)),
            other => other,
        })
    }

    /// Returns the outcome for the response; `None` if there is no answer.
    #[must_use]
    pub fn into_outcome(self) -> Option<Result<RawResult, ErrorObject>> {
        match self.0 {
            Answer::None => None,
            Answer::Outcome(outcome) => Some(outcome),
            Answer::Exact(error) => Some(Err(error)),
            Answer::Cancelled(partial) => Some(Ok(partial)),
        }
    }

    /// Returns `true` if the error is sent unchanged.
    pub(crate) const fn is_exact(&self) -> bool {
        matches!(self.0, Answer::Exact(_))
    }
}

impl From<Result<RawResult, ErrorObject>> for Reply {
    fn from(outcome: Result<RawResult, ErrorObject>) -> Self {
        Self(Answer::Outcome(outcome))
    }
}

impl From<ErrorObject> for Reply {
    fn from(error: ErrorObject) -> Self {
        Self::error(error)
    }
}
