//! A task in the wire format of each form.

use super::{StoredTask, TaskForm, TaskState};
use jiff::Timestamp;
use mgp_transport::seam::Reply;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::tasks::{TaskStatus, core, extension},
};
use std::time::Duration;

/// Returns a task in the form of the revision 2025-11-25, in which the failure of a tool is the failure of its task.
pub(super) fn core(task: &StoredTask) -> core::Task {
    let status = match &task.state {
        TaskState::Answered { failed: true, .. } => TaskStatus::Failed,
        state => status(state),
    };
    core::Task {
        task_id: task.id.clone(),
        status,
        status_message: message(task),
        created_at: written(task.created),
        last_updated_at: written(task.updated),
        ttl: Some(millis(task.ttl)),
        poll_interval: Some(millis(task.poll_interval)),
        meta: None,
        other: RawObject::new(),
    }
}

/// Returns a task in the form of the extension, with the members that belong to its status.
pub(super) fn extension(task: &StoredTask) -> extension::Task {
    let mut shown = extension::Task {
        task_id: task.id.clone(),
        status: status(&task.state),
        status_message: message(task),
        created_at: written(task.created),
        last_updated_at: written(task.updated),
        ttl_ms: Some(millis(task.ttl)),
        poll_interval_ms: Some(millis(task.poll_interval)),
        input_requests: None,
        result: None,
        error: None,
        meta: None,
        other: RawObject::new(),
    };
    match &task.state {
        TaskState::Asks(questions) => shown.input_requests = Some(questions.clone()),
        TaskState::Answered { result, .. } => shown.result = Some(result.clone()),
        TaskState::Failed(error) => shown.error = Some(error.clone()),
        TaskState::Working | TaskState::Cancelled => {}
    }
    shown
}

/// Returns the answer to a call that has become a task.
pub(super) fn created(task: &StoredTask, form: TaskForm) -> Reply {
    match form {
        TaskForm::Core => Reply::from_value(&core::CreateTaskResult::new(core(task))),
        TaskForm::Extension => Reply::ok(extension(task).to_create_result()),
    }
}

/// Returns the answer to `tasks/result`: the result of a task, with the task's id in it.
pub(super) fn result(result: &RawJson, id: &str) -> Reply {
    match RawObject::from_json(result) {
        Ok(object) => Reply::ok(core::related_to_task(object, id).to_json()),
        Err(error) => Reply::error(error.into()),
    }
}

fn status(state: &TaskState) -> TaskStatus {
    match state {
        TaskState::Working => TaskStatus::Working,
        TaskState::Asks(_) => TaskStatus::InputRequired,
        TaskState::Answered { .. } => TaskStatus::Completed,
        TaskState::Failed(_) => TaskStatus::Failed,
        TaskState::Cancelled => TaskStatus::Cancelled,
    }
}

/// Returns the message of a task; for a failed task, the reason for the failure.
fn message(task: &StoredTask) -> Option<String> {
    match &task.state {
        TaskState::Failed(error) => Some(error.message.clone()),
        _ => task.message.clone(),
    }
}

fn written(at: Timestamp) -> String {
    format!("{at:.3}")
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
