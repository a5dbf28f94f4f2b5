//! The servers that decide which calls become tasks.

use crate::session::Greeting;
use mgp_types::mcp::tasks::TaskForm;

/// Returns whether a server with this greeting decides which calls become tasks.
pub(in crate::kernel) fn decides_on_tasks(said: &Greeting) -> bool {
    TaskForm::of_server(said.version, &said.capabilities).is_ok_and(|form| !form.is_by_client())
}
