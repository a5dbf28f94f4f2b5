//! The tasks that servers run, as this room needs them.

use super::{Link, Server, task_plan::Plan};
use crate::ground::caller::Caller;
use mgp_transport::seam::Incoming;
use mgp_types::{
    mcp::tasks::core::RELATED_TASK_KEY,
    rpc::{ErrorObject, RawResult},
};
use std::sync::Arc;

/// The answer to a call.
#[derive(Debug)]
pub(crate) enum CallAnswer {
    /// The answer itself.
    Answer(RawResult),
    /// A task, in the host's form.
    Task(RawResult),
}

/// The tasks that hosts know, as servers and their calls need them.
pub(crate) trait ServerTasks: Send + Sync {
    /// Returns the result of a call for its host. If the call has become a task, the task is kept for the host.
    ///
    /// # Errors
    /// The error for the host if its task cannot be kept or parsed.
    fn answer_to_call(
        &self,
        server: &Arc<Server>,
        link: &Link,
        caller: Option<&Caller>,
        plan: &Plan,
        result: RawResult,
    ) -> Result<CallAnswer, ErrorObject>;

    /// Returns whether a server is running a task.
    fn runs_at(&self, server: &Arc<Server>) -> bool;

    /// Returns the server's own ids of the tasks that hosts are subscribed to: the latest, if there are too many for the server.
    fn wanted_of(&self, server: &Arc<Server>) -> Vec<String>;
}

/// Returns the id of the task that a question names.
pub(crate) fn task_of(message: &Incoming) -> Option<String> {
    message.params.object().ok()?.object("_meta")?.object(RELATED_TASK_KEY)?.text("taskId")
}
