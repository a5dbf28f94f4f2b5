//! The agent, key and tool that a call counts against.

use mgp_transport::seam::ToolCall;
use mgp_types::context::ToolId;

/// A tool call, keyed by the subjects that it counts against.
#[derive(Debug, Clone, Copy)]
pub struct CallUse<'a> {
    /// The agent that calls.
    pub agent: &'a str,
    /// The name of the API key that the call was made with.
    pub key: Option<&'a str>,
    /// The tool.
    pub tool: &'a ToolId,
}

impl<'a> CallUse<'a> {
    /// Returns the subjects of a call.
    #[must_use]
    pub fn of(call: &'a ToolCall) -> Self {
        Self { agent: call.principal.id(), key: call.key_name(), tool: &call.target.tool }
    }
}
