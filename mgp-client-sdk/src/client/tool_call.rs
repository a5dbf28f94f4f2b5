//! The arguments and results of tool calls.

use mgp_transport::seam::CallError;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::CallToolResult,
    stream::StreamSummary,
    tool_result::{ErrorDetail, OutcomeError},
};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt;

/// The error of a typed call.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ToolCallError {
    /// The request failed, or the server refused the call.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The tool ran and failed.
    #[error("the tool {tool:?} failed: {}", result.joined_text())]
    Failed {
        /// The name of the tool.
        tool: String,
        /// The result, which describes the failure.
        result: Box<CallToolResult>,
    },
    /// The result does not have the requested type.
    #[error("unexpected result of the tool {tool:?}: {error}")]
    Result {
        /// The name of the tool.
        tool: String,
        /// The error of decoding the data.
        error: OutcomeError,
    },
}

impl ToolCallError {
    /// Returns the error with its type, in the form of an outcome: that of the tool, or that of the peer that refused the call. `None` if the
    /// call failed in transit, or if its result could not be read.
    #[must_use]
    pub fn detail(&self) -> Option<ErrorDetail> {
        match self {
            Self::Failed { result, .. } => result.whole_outcome().error().cloned(),
            Self::Call(CallError::Peer(error)) => Some(ErrorDetail::from(error)),
            Self::Call(_) | Self::Result { .. } => None,
        }
    }
}

// A `main` that returns the error prints this form.
impl fmt::Debug for ToolCallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns arguments as JSON; `()` stands for none.
pub(super) fn to_arguments(arguments: &impl Serialize) -> Result<RawJson, CallError> {
    let arguments = RawJson::from_value(arguments).map_err(CallError::Params)?;
    Ok(if arguments.is_null() { RawJson::empty_object() } else { arguments })
}

/// Decodes the result of a tool.
pub(super) fn typed<T: DeserializeOwned>(tool: &str, result: CallToolResult) -> Result<T, ToolCallError> {
    let tool = tool.to_owned();
    let outcome = match result.outcome() {
        Ok(outcome) => outcome,
        Err(error) => return Err(ToolCallError::Result { tool, error }),
    };
    outcome.into_data().map_err(|_| ToolCallError::Failed { tool, result: Box::new(result) })
}

/// Returns whether a result is the partial result of a cancelled call.
pub(super) fn is_cancelled(result: &CallToolResult) -> bool {
    result.mgp.as_ref().is_some_and(|mgp| StreamSummary::read(mgp).cancelled == Some(true))
}

/// Returns the params of a call.
pub(super) fn tool_params(name: &str, arguments: RawJson) -> RawObject {
    let mut params = RawObject::new();
    params.insert("name", RawJson::string(name));
    params.insert("arguments", arguments);
    params
}

/// Returns the params of a call with members for its `_meta`.
pub(super) fn tool_params_with(name: &str, arguments: RawJson, meta: &RawObject) -> RawObject {
    let mut params = tool_params(name, arguments);
    if !meta.is_empty() {
        params.insert("_meta", meta.to_json());
    }
    params
}
