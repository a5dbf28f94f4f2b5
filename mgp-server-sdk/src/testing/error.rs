//! The error of a test client.

use crate::Error;
use mgp_transport::seam::CallError;
use mgp_types::{json::JsonError, mcp::CallToolResult, tool_result::ErrorDetail};
use std::fmt;

/// The error of a test client.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum TestError {
    /// The server cannot be built.
    #[error(transparent)]
    Build(#[from] Error),
    /// The server answered with an error of the protocol, or not at all.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The tool failed. The error is displayed as the text that a model reads.
    #[error("{}", .0.joined_text())]
    Tool(Box<CallToolResult>),
    /// The params of a request cannot be written as JSON.
    #[error("failed to write the params: {0}")]
    Params(#[from] JsonError),
    /// The result does not have the type that the test expects.
    #[error("unexpected result {result:?}: {problem}")]
    Result {
        /// The result, as text.
        result: String,
        /// The problem with it.
        problem: String,
    },
}

impl TestError {
    /// Returns the error of a tool that failed, with its type; `None` if the call ended in another way.
    #[must_use]
    pub fn detail(&self) -> Option<ErrorDetail> {
        match self {
            Self::Tool(result) => result.whole_outcome().error().cloned(),
            _ => None,
        }
    }
}

// A test that returns the error, or unwraps it, prints this form.
impl fmt::Debug for TestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
