//! The form of the revision 2025-11-25.

use super::{Task, TaskCall, TaskError, TaskStart, form::Form, shown::Shown};
use crate::{
    client::{
        caller::{Caller, decode},
        tools::tool_params,
    },
    session::Takes,
};
use mgp_transport::seam::CallError;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{
        CallTool, CallToolResult,
        tasks::{
            TaskStatus,
            core::{
                self, CancelTask, CreateTaskResult, GetTask, GetTaskPayload, ListTasks, TaskMetadata,
                TaskParams,
            },
        },
    },
    rpc::{Call, JsonRpcCode},
};
use std::time::Duration;

/// Calls a tool as a task.
pub(super) async fn begin(caller: &Caller, form: Form, call: TaskCall) -> Result<TaskStart, CallError> {
    let TaskCall { name, arguments, ttl } = call;
    let mut params = tool_params(&name, arguments);
    let asked = RawJson::from_value(&TaskMetadata::new(ttl.map(millis))).map_err(CallError::Params)?;
    params.insert("task", asked);
    let result = caller.call_tool_for(Takes::ResultOrTask, params, None).await?;
    // A server may pass over that a task was asked for, and answer.
    if RawObject::from_json(&result).is_ok_and(|result| result.get("task").is_none()) {
        return Ok(TaskStart::Answered(decode::<CallTool>(&result)?));
    }
    let created = result.decode::<CreateTaskResult>();
    let created = created.map_err(|error| CallError::Result { method: CallTool::METHOD, error })?;
    Ok(TaskStart::Task(Task::new(caller.clone(), form, Shown::from(&created.task))))
}

/// Polls a task.
pub(super) async fn look(caller: &Caller, id: &str) -> Result<Shown, CallError> {
    caller.request::<GetTask>(&TaskParams::new(id)).await.map(|task| Shown::from(&task))
}

/// Waits for the end of a task. Its questions come as requests in the meantime.
pub(super) async fn result(task: &Task) -> Result<CallToolResult, TaskError> {
    match task.caller().request::<GetTaskPayload>(&TaskParams::new(task.id())).await {
        Ok(payload) => {
            let result = payload.decode::<CallToolResult>();
            let result =
                result.map_err(|error| CallError::Result { method: GetTaskPayload::METHOD, error })?;
            task.ended(if result.failed() { TaskStatus::Failed } else { TaskStatus::Completed });
            Ok(result)
        }
        // The error is that of the task or of this request; the status of the task tells which.
        Err(CallError::Peer(error)) => match task.refresh().await {
            Ok(TaskStatus::Failed) => Err(TaskError::Failed(error)),
            Ok(TaskStatus::Cancelled) => Err(TaskError::Cancelled { message: task.status_message() }),
            Ok(_) | Err(_) => Err(CallError::Peer(error).into()),
        },
        Err(error) => Err(error.into()),
    }
}

/// Cancels a task. A task that has ended stays as it is.
pub(super) async fn cancel(task: &Task) -> Result<TaskStatus, TaskError> {
    match task.caller().request::<CancelTask>(&TaskParams::new(task.id())).await {
        Ok(cancelled) => task.note(Shown::from(&cancelled)),
        Err(CallError::Peer(error)) if error.code == i64::from(JsonRpcCode::InvalidParams) => {
            match task.refresh().await {
                Ok(status) if status.is_terminal() => Ok(status),
                Ok(_) | Err(_) => Err(CallError::Peer(error).into()),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// Lists the client's tasks, from every page of the list.
pub(super) async fn list(caller: &Caller, form: Form) -> Result<Vec<Task>, CallError> {
    let tasks = caller.list_raw(ListTasks::METHOD, "tasks").await?;
    let tasks = tasks.iter().map(|task| {
        let task = task.decode::<core::Task>();
        let task = task.map_err(|error| CallError::Result { method: ListTasks::METHOD, error })?;
        Ok(Task::new(caller.clone(), form, Shown::from(&task)))
    });
    tasks.collect()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
