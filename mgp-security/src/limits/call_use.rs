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

/// The subjects of a call that outlive it.
#[derive(Debug)]
pub(super) struct OwnedUse {
    agent: String,
    key: Option<String>,
    tool: ToolId,
}

impl OwnedUse {
    pub(super) fn of(call: &ToolCall) -> Self {
        let CallUse { agent, key, tool } = CallUse::of(call);
        Self { agent: agent.to_owned(), key: key.map(str::to_owned), tool: tool.clone() }
    }

    pub(super) fn borrow(&self) -> CallUse<'_> {
        CallUse { agent: &self.agent, key: self.key.as_deref(), tool: &self.tool }
    }
}
