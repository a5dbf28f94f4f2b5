//! Steps that their servers continue as tasks after the answer.

use super::{
    StepTask, TaskFollower,
    open_step::OpenStep,
    step_end::{CallFacts, StepEnd},
};
use mgp_transport::seam::CallRecord;
use mgp_types::{json::RawObject, mcp::ResultType, rpc::RawResult, transaction::StepState};
use std::sync::Arc;

/// A step whose call was answered with a task.
pub(super) struct FollowedStep {
    pub(super) open: OpenStep,
    pub(super) task: StepTask,
    pub(super) facts: CallFacts,
    pub(super) record: CallRecord,
}

impl FollowedStep {
    /// Stores that the step runs as a task, and later the end of the task. Without a follower of tasks, the step is unknown.
    pub(super) async fn begin(self, follower: Option<Arc<dyn TaskFollower>>) {
        let Self { open, task, facts, record } = self;
        let Some(follower) = follower else {
            let reason = "it was answered with a task, whose end is not waited for";
            return open.close(StepEnd::failed(StepState::Unknown, reason)).await;
        };
        open.note_task(task.id.clone()).await;
        tokio::spawn(follow(follower, Self { open, task, facts, record }));
    }
}

async fn follow(follower: Arc<dyn TaskFollower>, step: FollowedStep) {
    let FollowedStep { open, task, facts, record } = step;
    let end = match follower.end(task).await {
        Ok(reply) => StepEnd::of(Some(&reply), &record, &facts),
        Err(reason) => {
            StepEnd::failed(StepState::Unknown, &format!("nobody knows whether it took effect: {reason}"))
        }
    };
    open.close(end).await;
}

/// Returns the id of the task that a call was answered with, in any form, or `None` if the answer is not a task.
pub(super) fn task_of(result: &RawResult) -> Option<String> {
    if ResultType::of(result) == ResultType::Task {
        return Some(RawObject::from_json(result).ok()?.text("taskId").unwrap_or_default());
    }
    if !result.may_hold("task") {
        return None;
    }
    RawObject::from_json(result).ok()?.object("task")?.text("taskId")
}
