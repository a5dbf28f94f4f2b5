//! The form of a task for clients.

use super::{StoredTask, TaskState};
use jiff::Timestamp;
use mgp_transport::seam::Reply;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::tasks::{Task, TaskStatus, core},
};
use std::time::Duration;

/// Returns a task in its canonical form.
pub(super) fn task(stored: &StoredTask) -> Task {
    let mut task = Task {
        task_id: stored.id.clone(),
        status_message: stored.message.clone(),
        created_at: written(stored.created),
        last_updated_at: written(stored.updated),
        ttl_ms: Some(millis(stored.ttl)),
        poll_interval_ms: Some(millis(stored.poll_interval)),
        ..Task::default()
    };
    match &stored.state {
        TaskState::Working => {}
        TaskState::Asks(questions) => {
            task.status = TaskStatus::InputRequired;
            task.input_requests = Some(questions.clone());
        }
        TaskState::Answered { result, .. } => {
            task.status = TaskStatus::Completed;
            task.result = Some(result.clone());
        }
        TaskState::Failed(error) => {
            task.status = TaskStatus::Failed;
            task.status_message = Some(error.message.clone());
            task.error = Some(error.clone());
        }
        TaskState::Cancelled => task.status = TaskStatus::Cancelled,
    }
    task
}

/// Returns the answer to `tasks/result`: the result of a task, with the task's id in it.
pub(super) fn result(result: &RawJson, id: &str) -> Reply {
    match RawObject::from_json(result) {
        Ok(object) => Reply::ok(core::related_to_task(object, id).to_json()),
        Err(error) => Reply::error(error.into()),
    }
}

fn written(at: Timestamp) -> String {
    format!("{at:.3}")
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
