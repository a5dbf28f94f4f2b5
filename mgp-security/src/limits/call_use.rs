//! The parties that a call belongs to.

use mgp_transport::seam::ToolCall;
use mgp_types::context::ToolId;

/// A use of a tool, by those whose calls are counted.
#[derive(Debug, Clone, Copy)]
pub struct CallUse<'a> {
    /// The agent that calls.
    pub agent: &'a str,
    /// The name of the API key that the call comes with.
    pub key: Option<&'a str>,
    /// The tool.
    pub tool: &'a ToolId,
}

impl<'a> CallUse<'a> {
    /// Returns the use that a call makes.
    #[must_use]
    pub fn of(call: &'a ToolCall) -> Self {
        Self { agent: call.principal.id(), key: call.key_name(), tool: &call.target.tool }
    }
}
