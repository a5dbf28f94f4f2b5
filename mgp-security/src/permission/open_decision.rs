//! The error of a decision on a question that may no longer be open.

use mgp_types::rpc::ErrorObject;

/// The error returned when a decision on an open question is not stored. `R` is the row of the question.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum OpenDecisionError<R> {
    /// Another decision was first, and stands. The row holds it.
    #[error("the question is no longer open: it was decided")]
    Decided(Box<R>),
    /// The decision is refused, or cannot be stored or audited.
    #[error("{}", .0.message)]
    Refused(Box<ErrorObject>),
}

impl<R> From<ErrorObject> for OpenDecisionError<R> {
    fn from(error: ErrorObject) -> Self {
        Self::Refused(Box::new(error))
    }
}
