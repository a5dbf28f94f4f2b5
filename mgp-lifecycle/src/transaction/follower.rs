//! The interface by which the tasks of steps are followed.

use async_trait::async_trait;
use mgp_transport::seam::Reply;
use mgp_types::context::Principal;

/// The task with which a server answered a step.
#[derive(Debug, Clone)]
pub struct StepTask {
    /// The caller of the step.
    pub caller: Principal,
    /// The id of the task, as the caller knows it.
    pub id: String,
}

/// A follower of the tasks with which servers answer steps.
#[async_trait]
pub trait TaskFollower: Send + Sync + 'static {
    /// Waits for the end of a task, and returns its final answer: the tool's result, or the error of the call.
    ///
    /// # Errors
    /// The reason that the answer will never be known.
    async fn end(&self, task: StepTask) -> Result<Reply, String>;

    /// Returns whether the end of a step's task was reported to the caller. A commit waits briefly for the end of such a step.
    fn has_ended(&self, caller: &Principal, id: &str) -> bool;
}
