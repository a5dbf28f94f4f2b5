//! The error of a test client.

use crate::Error;
use mgp_transport::seam::CallError;
use mgp_types::json::JsonError;
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
    /// The tool failed, with a text for the model.
    #[error("{0}")]
    Tool(String),
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

// A test that returns the error, or unwraps it, prints this form.
impl fmt::Debug for TestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
