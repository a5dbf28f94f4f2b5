//! In which of MCP's two forms somebody speaks of tasks.

use mgp_transport::seam::Session;
use mgp_types::mcp::{ClientCapabilities, ProtocolVersion};

/// In which of MCP's two forms a task is spoken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::kernel) enum Form {
    /// That of revision 2025-11-25.
    Core,
    /// The extension of the stateless revisions.
    Extension,
}

/// Whether a host speaks of tasks at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::kernel) enum Speaks {
    /// It does.
    Form(Form),
    /// Its revision would, but it did not declare the extension.
    Undeclared,
    /// Its revision knows of no tasks.
    No,
}

impl Speaks {
    /// What the host of a session does.
    pub(in crate::kernel) fn of(session: Option<&Session>) -> Self {
        let Some(session) = session else { return Self::No };
        match session.get::<ProtocolVersion>() {
            Some(version) if version.is_stateless() => {
                let capabilities = session.get::<ClientCapabilities>().unwrap_or_default();
                if capabilities.takes_tasks() { Self::Form(Form::Extension) } else { Self::Undeclared }
            }
            Some(ProtocolVersion::V2025_11_25) => Self::Form(Form::Core),
            _ => Self::No,
        }
    }
}
