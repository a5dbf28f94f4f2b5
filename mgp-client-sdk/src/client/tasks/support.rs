//! A server's support for tasks.

use super::TaskError;
use crate::session::Greeting;
use mgp_types::mcp::tasks::TaskForm;

/// A server's support for tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TaskSupport {
    /// The form in which the server speaks of tasks.
    pub(super) form: TaskForm,
    /// True if tasks can be cancelled.
    pub(super) cancels: bool,
}

impl TaskSupport {
    /// Returns the support of a server, according to its revision and its capabilities.
    ///
    /// # Errors
    /// [`TaskError::Unsupported`] if the server does not run tools as tasks.
    pub(super) fn of(greeting: &Greeting) -> Result<Self, TaskError> {
        let form = TaskForm::of_server(greeting.version, &greeting.capabilities)
            .map_err(|expected| TaskError::Unsupported { what: "run tools as tasks", expected })?;
        Ok(Self { form, cancels: !form.is_by_client() || greeting.capabilities.cancels_tasks() })
    }

    /// Returns the support of a server that lists tasks.
    ///
    /// # Errors
    /// [`TaskError::Unsupported`] if the server does not list tasks.
    pub(super) fn for_lists(greeting: &Greeting) -> Result<Self, TaskError> {
        let support = Self::of(greeting)?;
        let expected = if !support.form.is_by_client() {
            "the revision 2025-11-25 of MCP, as no other has a list of tasks"
        } else if !greeting.capabilities.lists_tasks() {
            "tasks.list in its capabilities"
        } else {
            return Ok(support);
        };
        Err(TaskError::Unsupported { what: "list tasks", expected })
    }
}
