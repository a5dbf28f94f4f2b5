//! The error object of a response.

use crate::json::{JsonError, RawJson};
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
    /// There is no such method.
    MethodNotFound = -32601,
    /// The params do not fit the method.
    InvalidParams = -32602,
    /// The receiver failed internally.
    InternalError = -32603,
}

impl ErrorObject {
    /// Creates an error with a code and a message.
    pub fn new(code: impl Into<i64>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), data: None }
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
        Self::new(JsonRpcCode::MethodNotFound, format!("method not found: {method:?}"))
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
