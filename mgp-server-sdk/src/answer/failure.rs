//! The failure of a tool, with the type of its error.

use mgp_types::{
    rpc::ErrorObject,
    tool_result::{ErrorDetail, ErrorDetails, ErrorType, Outcome},
};
use std::fmt;

/// The failure of a tool, with the type of its error: the error of a handler whose callers distinguish errors.
///
/// It converts into a [`ToolError`](crate::ToolError), so `?` works with both. Your own errors become failures with
/// `impl From<MyError> for Failure`. In a function that returns `ToolError`, convert them with `.map_err(Failure::from)?`: a bare `?`
/// keeps only their text.
///
/// ```
/// use mgp_server_sdk::{ErrorType, Failure, Outcome, Tool, extract::Args};
/// # use mgp_server_sdk::schemars::{self, JsonSchema};
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Deserialize, JsonSchema)] struct Path { path: String }
/// # #[derive(Serialize, JsonSchema)] struct Size { bytes: u64 }
///
/// fn size(Args(Path { path }): Args<Path>) -> Result<Outcome<Size>, Failure> {
///     let Ok(metadata) = std::fs::metadata(&path) else {
///         return Err(Failure::new(ErrorType::FileNotFoundError, format!("there is no file {path:?}")));
///     };
///     Ok(Outcome::success(Size { bytes: metadata.len() }))
/// }
///
/// let tool = Tool::new("size", "Returns the size of a file", size);
/// # let _ = tool;
/// ```
// Does not implement `Display` or `Error`: otherwise, a `ToolError` would contain it as a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    // Boxed, because a failure is the error of many results.
    error: Box<ErrorDetail>,
    explanation: Option<String>,
    /// The error of the protocol that a [`ToolError`](crate::ToolError) made from this failure is instead.
    protocol: Option<Box<ErrorObject>>,
}

impl Failure {
    /// Creates a failure. An `error_type` other than the eight standard ones is a custom one.
    pub fn new(error_type: impl Into<ErrorType>, message: impl fmt::Display) -> Self {
        Self::from(ErrorDetail::new(error_type, message))
    }

    /// Sets details of the error: an object or a text.
    #[must_use]
    pub fn details(self, details: impl Into<ErrorDetails>) -> Self {
        Self { error: Box::new(self.error.details(details)), ..self }
    }

    /// Sets the explanation, which a model reads too.
    #[must_use]
    pub fn explanation(self, explanation: impl Into<String>) -> Self {
        Self { explanation: Some(explanation.into()), ..self }
    }

    /// Sets the error of the protocol that the client receives instead of the failure.
    pub(crate) fn with_protocol(self, protocol: Option<ErrorObject>) -> Self {
        Self { protocol: protocol.map(Box::new), ..self }
    }

    /// Takes the error of the protocol that the client receives instead of the failure.
    pub(crate) fn take_protocol(&mut self) -> Option<ErrorObject> {
        self.protocol.take().map(|error| *error)
    }

    /// Returns the error.
    #[must_use]
    pub fn error(&self) -> &ErrorDetail {
        &self.error
    }
}

impl From<ErrorDetail> for Failure {
    fn from(error: ErrorDetail) -> Self {
        Self { error: Box::new(error), explanation: None, protocol: None }
    }
}

impl From<Failure> for ErrorDetail {
    fn from(failure: Failure) -> Self {
        *failure.error
    }
}

impl<T> From<Failure> for Outcome<T> {
    fn from(Failure { error, explanation, .. }: Failure) -> Self {
        let outcome = Self::from(*error);
        match explanation {
            Some(explanation) => outcome.explanation(explanation),
            None => outcome,
        }
    }
}
