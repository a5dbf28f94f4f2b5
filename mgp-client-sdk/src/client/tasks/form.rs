//! The form of tasks that a server supports.

use super::TaskError;
use crate::session::{Era, Greeting};
use mgp_types::mcp::ProtocolVersion;

/// The form of tasks that a server supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The form of the revision 2025-11-25.
    Core {
        /// True if tasks can be cancelled.
        cancels: bool,
    },
    /// The extension of the stateless revisions.
    Extension,
}

impl Form {
    /// Returns the form that a server supports, according to its capabilities.
    ///
    /// # Errors
    /// [`TaskError::Unsupported`] if the server does not run tools as tasks.
    pub(super) fn of(greeting: &Greeting) -> Result<Self, TaskError> {
        let capabilities = &greeting.capabilities;
        let expected = match greeting.era() {
            Era::Stateless if capabilities.has_tasks_extension() => return Ok(Self::Extension),
            Era::Stateless => "io.modelcontextprotocol/tasks in the extensions of its capabilities",
            Era::Initialize if greeting.version != ProtocolVersion::V2025_11_25 => {
                "the revision 2025-11-25 of MCP or a later one"
            }
            Era::Initialize if capabilities.runs_tools_as_tasks() => {
                return Ok(Self::Core { cancels: capabilities.cancels_tasks() });
            }
            Era::Initialize => "tasks.requests.tools.call in its capabilities",
        };
        Err(TaskError::Unsupported { what: "run tools as tasks", expected })
    }

    /// Returns the form of a server that lists tasks.
    ///
    /// # Errors
    /// [`TaskError::Unsupported`] if the server does not list tasks.
    pub(super) fn lists(greeting: &Greeting) -> Result<Self, TaskError> {
        let expected = match Self::of(greeting)? {
            core @ Self::Core { .. } if greeting.capabilities.lists_tasks() => return Ok(core),
            Self::Core { .. } => "tasks.list in its capabilities",
            Self::Extension => "the revision 2025-11-25 of MCP, as no other has a list of tasks",
        };
        Err(TaskError::Unsupported { what: "list tasks", expected })
    }
}
