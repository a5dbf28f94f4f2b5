//! The servers that decide which calls become tasks.

use mgp_client_sdk::session::Greeting;
use mgp_types::mcp::tasks::TaskForm;

/// Returns whether a server with this greeting decides which calls become tasks.
pub(crate) fn decides_on_tasks(said: &Greeting) -> bool {
    TaskForm::of_server(said.version, &said.capabilities).is_ok_and(|form| !form.is_by_client())
}
