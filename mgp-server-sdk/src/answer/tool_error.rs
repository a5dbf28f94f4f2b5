//! The error of a handler.

use super::Failure;
use mgp_types::{
    mcp::{CallToolResult, McpErrorCode, uri_data},
    printable::quoted,
    rpc::ErrorObject,
    tool_result::{ErrorDetail, ErrorType, Outcome},
};
use std::fmt;

/// The error of a handler: a text for the model, or an error of the protocol. A [`Failure`] also has a type.
///
/// Everything that can be displayed converts into a `ToolError`, so that `?` works on any error in a function that returns
/// `Result<_, ToolError>`. For that reason a `ToolError` is itself neither displayed nor an [`Error`](std::error::Error).
///
/// ```
/// use mgp_server_sdk::ToolError;
///
/// async fn length(path: String) -> Result<String, ToolError> {
///     Ok(std::fs::read_to_string(path)?.len().to_string())
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ToolError(Kind);

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Told(String),
    InvalidArguments(String),
    Failure(Box<Failure>),
    Protocol(ErrorObject),
}

impl ToolError {
    /// Creates an error for the model: the result of the tool with `isError`.
    pub fn new(text: impl fmt::Display) -> Self {
        Self(Kind::Told(text.to_string()))
    }

    /// Creates an error for arguments that the handler itself rejects.
    pub fn invalid_arguments(problem: impl fmt::Display) -> Self {
        Self(Kind::InvalidArguments(format!("invalid arguments: {problem}")))
    }

    /// Creates a JSON-RPC error, for problems with the request itself, or with the caller.
    #[must_use]
    pub fn protocol(error: ErrorObject) -> Self {
        Self(Kind::Protocol(error))
    }

    /// Creates an error for a URI without a resource.
    #[must_use]
    pub fn resource_not_found(uri: &str) -> Self {
        let message = format!("resource not found: {}", quoted(uri));
        let error = ErrorObject::new(McpErrorCode::ResourceNotFound, message);
        Self::protocol(error.with_data(uri_data(uri)))
    }

    /// Converts the error into the result of a tool, unless it is an error of the protocol.
    pub(crate) fn into_tool_result(self) -> Result<CallToolResult, ErrorObject> {
        match self.0 {
            Kind::Told(text) => Ok(CallToolResult::error(text)),
            Kind::InvalidArguments(text) => {
                Ok(CallToolResult::text(&*text)
                    .with_error(ErrorDetail::new(ErrorType::ValidationError, text)))
            }
            Kind::Failure(failure) => Ok(Outcome::<()>::from(*failure).into_result()?),
            Kind::Protocol(error) => Err(error),
        }
    }

    /// Returns the error of the protocol, if it is one.
    pub(crate) fn into_protocol(self) -> Option<ErrorObject> {
        match self.0 {
            Kind::Protocol(error) => Some(error),
            _ => None,
        }
    }

    /// Converts the error for a method whose result cannot express a failure.
    pub(crate) fn into_error(self) -> ErrorObject {
        match self.0 {
            Kind::Told(text) => ErrorObject::internal(text),
            Kind::InvalidArguments(text) => ErrorObject::invalid_params(text),
            Kind::Failure(failure) => of_failure(failure.error()),
            Kind::Protocol(error) => error,
        }
    }
}

/// Returns the protocol error that is closest to a failure.
fn of_failure(error: &ErrorDetail) -> ErrorObject {
    match error.error_type {
        ErrorType::ValidationError => ErrorObject::invalid_params(&*error.message),
        ErrorType::FileNotFoundError | ErrorType::ResourceNotFound => {
            ErrorObject::new(McpErrorCode::ResourceNotFound, &*error.message)
        }
        _ => ErrorObject::internal(&*error.message),
    }
}

impl<E: fmt::Display> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::new(error)
    }
}

impl From<Failure> for ToolError {
    fn from(mut failure: Failure) -> Self {
        match failure.take_protocol() {
            Some(error) => Self::protocol(error),
            None => Self(Kind::Failure(Box::new(failure))),
        }
    }
}
