//! The error object of a response.

use crate::{
    json::{JsonError, RawJson},
    printable::quoted,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The error of a response: a code, a message, and data.
///
/// MGP's codes, and the advice to callers about them, are in [`ErrorCode`](crate::error::ErrorCode) (§14).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorObject {
    /// The code: JSON-RPC's, MCP's or MGP's.
    pub code: i64,
    /// The error in one sentence.
    pub message: String,
    /// More about the error, in the form that the code requires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<RawJson>,
}

/// The codes that JSON-RPC 2.0 itself defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i64)]
pub enum JsonRpcCode {
    /// The text is not JSON.
    ParseError = -32700,
    /// The JSON is not a request.
    InvalidRequest = -32600,
    /// The method does not exist.
    MethodNotFound = -32601,
    /// The params do not fit the method.
    InvalidParams = -32602,
    /// The receiver failed internally.
    InternalError = -32603,
}

impl ErrorObject {
    /// Creates an error with a code and a message.
    ///
    /// A message of more than 16 KiB is cut, because it may repeat a peer's text, and ends in its length.
    pub fn new(code: impl Into<i64>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: bounded(message.into()), data: None }
    }

    /// Sets the data.
    #[must_use]
    pub fn with_data(mut self, data: RawJson) -> Self {
        self.data = Some(data);
        self
    }

    /// Creates an error with the code -32600.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(JsonRpcCode::InvalidRequest, message)
    }

    /// Creates an error with the code -32601, which names the method.
    #[must_use]
    pub fn method_not_found(method: &str) -> Self {
        Self::new(JsonRpcCode::MethodNotFound, format!("method not found: {}", quoted(method)))
    }

    /// Creates an error with the code -32602.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(JsonRpcCode::InvalidParams, message)
    }

    /// Creates an error with the code -32603.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(JsonRpcCode::InternalError, message)
    }
}

/// The longest message of an error, in bytes.
const MAX_MESSAGE: usize = 16 * 1024;

fn bounded(message: String) -> String {
    if message.len() <= MAX_MESSAGE {
        return message;
    }
    let end = (0..=MAX_MESSAGE).rev().find(|end| message.is_char_boundary(*end)).unwrap_or_default();
    format!("{}… ({} bytes)", &message[..end], message.len())
}

impl From<JsonRpcCode> for i64 {
    fn from(code: JsonRpcCode) -> Self {
        code as Self
    }
}

impl From<JsonError> for ErrorObject {
    fn from(error: JsonError) -> Self {
        Self::invalid_params(error.to_string())
    }
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for ErrorObject {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_error_repeats_megabytes_of_a_peer() {
        let long = "é".repeat(3 << 20);
        let unknown = ErrorObject::method_not_found(&long).message;
        assert!(unknown.len() < 512 && unknown.starts_with("method not found: \"éé"), "{unknown}");
        for error in [ErrorObject::invalid_params(&*long), ErrorObject::internal(format!("x{long}"))] {
            assert!(error.message.len() < MAX_MESSAGE + 32, "{}", error.message.len());
            assert!(
                error
                    .message
                    .ends_with(&format!("… ({} bytes)", long.len() + usize::from(error.code == -32603)))
            );
        }
        let whole = "x".repeat(MAX_MESSAGE);
        assert_eq!(ErrorObject::internal(whole.clone()).message, whole);
    }
}
