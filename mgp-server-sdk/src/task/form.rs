//! The forms in which clients know tasks.

use mgp_transport::seam::Session;
use mgp_types::mcp::{ClientCapabilities, ProtocolVersion};

/// The form in which a client knows tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskForm {
    /// The form of the revision 2025-11-25.
    Core,
    /// The extension of the stateless revisions.
    Extension,
}

/// The support for tasks of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaks {
    /// The client supports tasks in this form.
    Form(TaskForm),
    /// The client's revision supports tasks, but the client did not declare the extension.
    Undeclared,
    /// The client's revision has no tasks.
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
