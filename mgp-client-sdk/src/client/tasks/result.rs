//! The result of a task, from a server that is asked for it or from one that is polled.

use super::{
    Task, TaskError, questions,
    request::{look, request},
};
use mgp_transport::seam::CallError;
use mgp_types::{
    json::JsonError,
    mcp::{
        CallToolResult,
        tasks::{
            GetTask, TaskStatus,
            core::{GetTaskPayload, TaskParams},
        },
    },
    rpc::Call,
};

/// Requests the result of a task, and waits for it. The task's questions arrive as requests in the meantime.
pub(super) async fn asked(task: &Task) -> Result<CallToolResult, TaskError> {
    match request::<GetTaskPayload>(task.caller(), &TaskParams::new(task.id())).await {
        Ok(payload) => {
            let result = payload.decode::<CallToolResult>();
            let result =
                result.map_err(|error| CallError::Result { method: GetTaskPayload::METHOD, error })?;
            task.ended(if result.failed() { TaskStatus::Failed } else { TaskStatus::Completed });
            Ok(result)
        }
        // The error is that of the task or of this request; the status of the task shows which.
        Err(CallError::Peer(error)) => match task.refresh().await {
            Ok(TaskStatus::Failed) => Err(TaskError::Failed(error)),
            Ok(TaskStatus::Cancelled) => Err(TaskError::Cancelled { message: task.status_message() }),
            Ok(_) | Err(_) => Err(CallError::Peer(error).into()),
        },
        Err(error) => Err(error.into()),
    }
}

/// Polls a task until it has ended, and answers its questions.
pub(super) async fn looked_at(task: &Task) -> Result<CallToolResult, TaskError> {
    let unreadable = |error| CallError::Result { method: GetTask::METHOD, error }.into();
    loop {
        task.may_look().await;
        let seen = look(task.caller(), task.form(), task.id()).await?;
        task.note(&seen)?;
        match seen.status {
            TaskStatus::Working => {}
            TaskStatus::InputRequired => {
                questions::answer(task, &seen.input_requests.unwrap_or_default()).await?;
            }
            TaskStatus::Completed => {
                let result = seen.result.ok_or(JsonError::Missing("result"));
                return result.and_then(|result| result.decode()).map_err(unreadable);
            }
            TaskStatus::Failed => {
                let error = seen.error.ok_or(JsonError::Missing("error")).map_err(unreadable)?;
                return Err(TaskError::Failed(error));
            }
            TaskStatus::Cancelled => return Err(TaskError::Cancelled { message: seen.status_message }),
        }
    }
}
