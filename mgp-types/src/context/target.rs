//! The tool of a server that a call is aimed at.

use std::{fmt, sync::Arc};

/// A tool of a server, identified by the server's id and the tool's own name.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolId {
    /// The server's id in the configuration.
    pub server_id: Arc<str>,
    /// The tool's name as the server lists it.
    pub tool_name: Arc<str>,
}

impl ToolId {
    /// Creates the id of a tool of a server.
    pub fn new(server_id: impl Into<Arc<str>>, tool_name: impl Into<Arc<str>>) -> Self {
        Self { server_id: server_id.into(), tool_name: tool_name.into() }
    }
}

impl fmt::Display for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.server_id, self.tool_name)
    }
}

impl fmt::Debug for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The target of a call. `resolve` finds it once, so that every layer judges the same tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The tool and its server.
    pub tool: ToolId,
    /// The name under which the host called it.
    pub called_as: Arc<str>,
}
