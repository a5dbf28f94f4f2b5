//! Queries a task whose host and server use different forms.

use super::known_task::KnownTask;
use crate::{
    host::HostDialect,
    upstream::{Link, Server},
};
use mgp_transport::{connection::error_at_edge, seam::CallError};
use mgp_types::{
    error::ErrorCode,
    json::RawObject,
    mcp::tasks::{
        GetTask, Task, TaskStatus,
        core::{GetTaskPayload, RELATED_TASK_KEY, TaskParams},
    },
    printable::quoted,
    rpc::{Call, Control, ErrorObject, JsonRpcCode, RawResult},
};
use std::sync::{Arc, atomic::Ordering};

/// Returns the error for a task that is not the host's own, no longer kept, or unknown.
pub(super) fn unknown(id: &str) -> ErrorObject {
    ErrorObject::invalid_params(format!("unknown task: {}", quoted(id)))
}

/// Returns the connection with a task's server.
fn link(server: &Server) -> Result<Arc<Link>, ErrorObject> {
    server.link().ok_or_else(|| ErrorCode::ServerNotReady.error("the server is not connected"))
}

/// Returns the params of a request about a task, with the `_meta` for its server.
pub(super) fn about(known: &KnownTask) -> impl FnOnce(Option<RawObject>) -> TaskParams {
    |meta| TaskParams { meta, ..TaskParams::new(known.own.as_str()) }
}

/// Asks a server about a task.
pub(super) async fn ask<C: Control>(
    server: &Server,
    known: &KnownTask,
    params: impl FnOnce(Option<RawObject>) -> C::Params,
) -> Result<C::Result, ErrorObject> {
    let link = link(server)?;
    let (control, params) = (link.control(), params(link.task_meta()));
    let asked = tokio::time::timeout(server.spec.call_timeout, control.request::<C>(&params));
    let failed = |code: ErrorCode, problem: String| match C::METHOD {
        GetTask::METHOD | GetTaskPayload::METHOD => code.error(problem),
        _ => code.error_outcome_unknown(problem),
    };
    let Ok(answer) = asked.await else {
        let problem = format!("the server did not answer {} in time", C::METHOD);
        return Err(failed(ErrorCode::Timeout, problem));
    };
    answer.map_err(|error| match error {
        // The server has forgotten the task, or never knew it. Its own id for the task is not shown to the host.
        CallError::Peer(error)
            if error.code == i64::from(JsonRpcCode::InvalidParams) && C::METHOD == GetTask::METHOD =>
        {
            unknown(&known.id)
        }
        CallError::Peer(error) => error,
        error @ CallError::Result { .. } => failed(ErrorCode::UpstreamError, error.to_string()),
        error => error_at_edge(&error.into()),
    })
}

/// Queries the server for a task, and notes its state.
pub(super) async fn shown(server: &Server, known: &KnownTask) -> Result<Task, ErrorObject> {
    let json = ask::<GetTask>(server, known, about(known)).await?;
    let task = known.at_server.decode(&json).map_err(|error| {
        ErrorCode::UpstreamError.error(CallError::Result { method: GetTask::METHOD, error }.to_string())
    })?;
    Ok(known.sees(task))
}

/// Queries the server for a task, and returns the task in the form for its host, with the members that belong to its
/// status.
pub(super) async fn look(
    server: &Arc<Server>,
    known: &Arc<KnownTask>,
    host: HostDialect,
) -> Result<Task, ErrorObject> {
    if let Some(task) = known.last_seen().filter(|_| known.kept.is_some()) {
        return Ok(task);
    }
    let mut task = shown(server, known).await?;
    // Any other server has already sent the members.
    if !known.at_server.has(GetTaskPayload::METHOD) {
        return Ok(task);
    }
    match task.status {
        TaskStatus::Completed | TaskStatus::Failed => {
            match ask::<GetTaskPayload>(server, known, about(known)).await {
                Ok(result) => {
                    // A tool's own failure is a result.
                    task.status = TaskStatus::Completed;
                    let result = host.tool_result(unrelated(&result), false)?;
                    let valid = host.valid(GetTaskPayload::METHOD, result)?;
                    task.result = Some(server.warnings.note_mends(GetTaskPayload::METHOD, valid));
                }
                Err(error) => {
                    task.status = TaskStatus::Failed;
                    task.error = Some(host.error_in_result(error));
                }
            }
        }
        TaskStatus::Cancelled => {}
        TaskStatus::Working | TaskStatus::InputRequired => {
            if task.status == TaskStatus::InputRequired {
                carry(server, known)?;
            }
            let asked = known.caller.parked.as_ref().map(|parked| parked.open()).unwrap_or_default();
            // A task that waits for input must name the questions.
            task.status = if asked.is_empty() { TaskStatus::Working } else { TaskStatus::InputRequired };
            task.input_requests = (!asked.is_empty()).then_some(asked);
        }
    }
    Ok(task)
}

/// Keeps a request for a task's result open, because such a server sends the task's questions to the client that waits for the result.
fn carry(server: &Server, known: &Arc<KnownTask>) -> Result<(), ErrorObject> {
    let link = link(server)?;
    if known.activity.carried.swap(true, Ordering::AcqRel) {
        return Ok(());
    }
    let (control, params) = (link.control(), about(known)(link.task_meta()));
    let (over, remaining, id) = (known.over.clone(), known.remaining(), server.id().to_owned());
    let known = Arc::downgrade(known);
    tokio::spawn(async move {
        tokio::select! {
            _ = control.request::<GetTaskPayload>(&params) => {}
            () = over.cancelled() => {}
            () = tokio::time::sleep(remaining) => {}
        }
        tracing::trace!(server = id, "a task's questions are no longer waited for");
        if let Some(known) = known.upgrade() {
            known.activity.carried.store(false, Ordering::Release);
        }
    });
    Ok(())
}

/// Returns a result without the id of its task.
fn unrelated(result: &RawResult) -> RawResult {
    if !result.may_hold(RELATED_TASK_KEY) {
        return result.clone();
    }
    let Ok(mut object) = RawObject::from_json(result) else { return result.clone() };
    object.edit("_meta", |meta| meta.remove(RELATED_TASK_KEY).is_some());
    object.to_json()
}
