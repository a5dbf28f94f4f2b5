//! What a service answers.

use mgp_types::{
    json::{JsonError, RawJson},
    rpc::{ErrorObject, RawResult},
};
use serde::Serialize;

/// What a service answers. [`Reply::none`] is the only legal answer to a notification.
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
    /// No answer.
    #[must_use]
    pub const fn none() -> Self {
        Self(Answer::None)
    }

    /// A result.
    #[must_use]
    pub const fn ok(result: RawResult) -> Self {
        Self(Answer::Outcome(Ok(result)))
    }

    /// A result from a Rust value; one that cannot be JSON is an internal error.
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Self {
        let internal =
            |error: JsonError| ErrorObject::internal(format!("failed to write the result: {error}"));
        Self(Answer::Outcome(RawJson::from_value(value).map_err(internal)))
    }

    /// A refusal or failure that the protocol can say.
    #[must_use]
    pub const fn error(error: ErrorObject) -> Self {
        Self(Answer::Outcome(Err(error)))
    }

    /// An error that is sent as it is. Others are put into plain MCP's words where the connection did not negotiate MGP.
    #[must_use]
    pub const fn exact_error(error: ErrorObject) -> Self {
        Self(Answer::Exact(error))
    }

    /// The caller cancelled; `partial` is what there was so far. The connection's edge decides whether it is sent.
    #[must_use]
    pub const fn cancelled(partial: RawResult) -> Self {
        Self(Answer::Cancelled(partial))
    }

    /// Whether it says that the call was cancelled.
    #[must_use]
    pub const fn is_cancelled(&self) -> bool {
        matches!(self.0, Answer::Cancelled(_))
    }

    /// The result, where there is one. A cancelled call's is what there was so far.
    #[must_use]
    pub const fn result(&self) -> Option<&RawResult> {
        match &self.0 {
            Answer::Outcome(Ok(result)) | Answer::Cancelled(result) => Some(result),
            _ => None,
        }
    }

    /// The error, where there is one.
    #[must_use]
    pub const fn as_error(&self) -> Option<&ErrorObject> {
        match &self.0 {
            Answer::Outcome(Err(error)) | Answer::Exact(error) => Some(error),
            _ => None,
        }
    }

    /// The answer as a response carries it; `None` where there is none.
    #[must_use]
    pub fn into_outcome(self) -> Option<Result<RawResult, ErrorObject>> {
        match self.0 {
            Answer::None => None,
            Answer::Outcome(outcome) => Some(outcome),
            Answer::Exact(error) => Some(Err(error)),
            Answer::Cancelled(partial) => Some(Ok(partial)),
        }
    }

    /// Whether its error is sent as it is.
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
