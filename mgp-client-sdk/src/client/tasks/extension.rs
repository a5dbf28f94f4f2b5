//! The extension of the stateless revisions.

use super::{Task, TaskCall, TaskError, TaskStart, form::Form, questions, shown::Shown};
use crate::{
    client::{
        caller::{Caller, decode},
        tools::tool_params,
    },
    session::Takes,
};
use mgp_transport::seam::CallError;
use mgp_types::{
    json::{JsonError, RawJson, RawObject},
    mcp::{
        CallTool, CallToolResult,
        stateless::ResultType,
        tasks::{
            TaskStatus,
            core::TaskParams,
            extension::{self, CancelTask, GetTask},
        },
    },
    rpc::Call,
};

/// Calls a tool, and accepts a task as the answer.
pub(super) async fn begin(caller: &Caller, call: TaskCall) -> Result<TaskStart, CallError> {
    let params = declare(caller, tool_params(&call.name, call.arguments));
    let result = caller.call_tool_for(Takes::ResultOrTask, params, None).await?;
    if ResultType::of(&result) != ResultType::Task {
        return Ok(TaskStart::Answered(decode::<CallTool>(&result)?));
    }
    let task = result.decode::<extension::Task>();
    let task = task.map_err(|error| CallError::Result { method: CallTool::METHOD, error })?;
    Ok(TaskStart::Task(Task::new(caller.clone(), Form::Extension, Shown::from(&task))))
}

/// Polls a task.
pub(super) async fn look(caller: &Caller, id: &str) -> Result<extension::Task, CallError> {
    request::<GetTask>(caller, &TaskParams::new(id)).await
}

/// Polls a task until it has ended, and answers its questions.
pub(super) async fn result(task: &Task) -> Result<CallToolResult, TaskError> {
    loop {
        task.may_look().await;
        let seen = look(task.caller(), task.id()).await?;
        task.note(Shown::from(&seen))?;
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

/// Cancels a task, and returns its status afterwards.
pub(super) async fn cancel(task: &Task) -> Result<TaskStatus, TaskError> {
    request::<CancelTask>(task.caller(), &TaskParams::new(task.id())).await?;
    task.refresh().await
}

/// Sends a request about tasks.
pub(super) async fn request<C: Call>(caller: &Caller, params: &C::Params) -> Result<C::Result, CallError> {
    let params = RawJson::from_value(params).and_then(|params| RawObject::from_json(&params));
    let params = declare(caller, params.map_err(CallError::Params)?);
    decode::<C>(&caller.call(C::METHOD, params, None).await?)
}

/// Declares in a request that the client accepts tasks, which its other requests do not declare.
fn declare(caller: &Caller, mut params: RawObject) -> RawObject {
    caller.session.declare_tasks(&mut params);
    params
}

fn unreadable(error: JsonError) -> TaskError {
    CallError::Result { method: GetTask::METHOD, error }.into()
}
