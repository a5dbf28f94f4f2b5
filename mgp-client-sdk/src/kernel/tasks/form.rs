//! The two forms in which MCP speaks of tasks.

use mgp_transport::seam::Session;
use mgp_types::mcp::{ClientCapabilities, ProtocolVersion};

/// A form in which MCP speaks of tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::kernel) enum Form {
    /// The form of revision 2025-11-25.
    Core,
    /// The extension of the stateless revisions.
    Extension,
}

/// A host's support for tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::kernel) enum Speaks {
    /// The host speaks of tasks in this form.
    Form(Form),
    /// The host's revision has tasks, but the host did not declare the extension.
    Undeclared,
    /// The host's revision has no tasks.
    No,
}

impl Speaks {
    /// Returns the support for tasks of the host of a session.
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
