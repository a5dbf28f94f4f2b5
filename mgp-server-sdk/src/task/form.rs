//! In which form a client speaks of tasks.

use mgp_transport::seam::Session;
use mgp_types::mcp::{ClientCapabilities, ProtocolVersion};

/// In which form a client speaks of tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskForm {
    /// That of the revision 2025-11-25.
    Core,
    /// The extension of the stateless revisions.
    Extension,
}

/// Whether a client speaks of tasks at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaks {
    /// It does.
    Form(TaskForm),
    /// Its revision would, but it did not declare the extension.
    Undeclared,
    /// Its revision knows of no tasks.
    No,
}

impl Speaks {
    pub(super) fn of(session: Option<&Session>) -> Self {
        let Some(session) = session else { return Self::No };
        if session.is_of_one_request() {
            let capabilities = session.get::<ClientCapabilities>();
            return match capabilities.is_some_and(|capabilities| capabilities.takes_tasks()) {
                true => Self::Form(TaskForm::Extension),
                false => Self::Undeclared,
            };
        }
        match session.get::<ProtocolVersion>() {
            Some(ProtocolVersion::V2025_11_25) => Self::Form(TaskForm::Core),
            _ => Self::No,
        }
    }
}
