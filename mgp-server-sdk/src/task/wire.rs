//! A task as each form shows it.

use super::{StoredTask, TaskForm, TaskState};
use jiff::Timestamp;
use mgp_transport::seam::Reply;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::tasks::{TaskStatus, core, extension},
};
use std::time::Duration;

/// A task in the words of the revision 2025-11-25, in which a tool's failure is one of its task.
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

/// A task in the words of the extension, with what belongs to its status.
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

/// What a call is answered with that has become a task.
pub(super) fn created(task: &StoredTask, form: TaskForm) -> Reply {
    match form {
        TaskForm::Core => Reply::from_value(&core::CreateTaskResult::new(core(task))),
        TaskForm::Extension => Reply::ok(extension(task).to_create_result()),
    }
}

/// The result of a task for `tasks/result`, which names the task.
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

/// What a task says of itself; one that failed says why.
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
