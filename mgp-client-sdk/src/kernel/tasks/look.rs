//! Looks at a task whose host and server use different forms.

use super::{
    convert::{to_core, to_extension},
    known::Known,
};
use crate::kernel::server::{Link, Server, Understands};
use mgp_transport::{connection::error_at_edge, seam::CallError};
use mgp_types::{
    error::ErrorCode,
    json::RawObject,
    mcp::tasks::{
        TaskStatus,
        core::{self, GetTaskPayload, RELATED_TASK_KEY, TaskParams},
        extension,
    },
    rpc::{Call, Control, ErrorObject, JsonRpcCode, RawResult},
};
use std::sync::{Arc, atomic::Ordering};

/// Returns the error for a task that is not the host's own, that is no longer kept, or that never was.
pub(super) fn unknown(id: &str) -> ErrorObject {
    ErrorObject::invalid_params(format!("unknown task: {id:?}"))
}

/// Returns the connection with a task's server.
pub(super) fn link(server: &Server) -> Result<Arc<Link>, ErrorObject> {
    server.link().ok_or_else(|| ErrorCode::ServerNotReady.error("the server is not connected"))
}

/// Returns the params of a request about a task to its server.
pub(super) fn params(link: &Link, known: &Known) -> TaskParams {
    TaskParams { meta: link.task_meta(), ..TaskParams::new(known.own.as_str()) }
}

/// Asks a server about a task.
pub(super) async fn ask<C: Control>(
    server: &Server,
    link: &Link,
    known: &Known,
    params: &C::Params,
) -> Result<C::Result, ErrorObject> {
    let control = link.control();
    let asked = tokio::time::timeout(server.spec.call_time_limit, control.request::<C>(params));
    let reads = matches!(C::METHOD, core::GetTask::METHOD | GetTaskPayload::METHOD);
    match asked.await {
        Ok(Ok(result)) => Ok(result),
        // The server has forgotten the task, or never knew it. Its own id for the task is not shown to the host.
        Ok(Err(CallError::Peer(error)))
            if error.code == i64::from(JsonRpcCode::InvalidParams) && C::METHOD == "tasks/get" =>
        {
            Err(unknown(&known.id))
        }
        Ok(Err(CallError::Peer(error))) => Err(error),
        Ok(Err(error @ CallError::Result { .. })) if !reads => {
            Err(ErrorCode::UpstreamError.error_outcome_unknown(error.to_string()))
        }
        Ok(Err(error @ CallError::Result { .. })) => Err(ErrorCode::UpstreamError.error(error.to_string())),
        Ok(Err(error)) => Err(error_at_edge(&error.into())),
        Err(_) => {
            let problem = format!("the server did not answer {} in time", C::METHOD);
            Err(if reads {
                ErrorCode::Timeout.error(problem)
            } else {
                ErrorCode::Timeout.error_outcome_unknown(problem)
            })
        }
    }
}

/// Asks a core server for a task, and returns the task as a host of a stateless revision is shown it, with the members that belong
/// to its status.
pub(super) async fn of_core(
    server: &Arc<Server>,
    known: &Arc<Known>,
    host: Understands,
) -> Result<extension::Task, ErrorObject> {
    let link = link(server)?;
    let params = params(&link, known);
    let task = ask::<core::GetTask>(server, &link, known, &params).await?;
    known.sees(&task);
    let mut shown = to_extension(&task, &known.id);
    match task.status {
        TaskStatus::Completed | TaskStatus::Failed => {
            match ask::<GetTaskPayload>(server, &link, known, &params).await {
                Ok(result) => {
                    // A tool's own failure is a result.
                    shown.status = TaskStatus::Completed;
                    shown.result = Some(host.tool_result(unrelated(&result), false)?);
                }
                Err(error) => {
                    shown.status = TaskStatus::Failed;
                    shown.error = Some(host.error(error));
                }
            }
        }
        TaskStatus::Cancelled => {}
        TaskStatus::Working | TaskStatus::InputRequired => {
            if task.status == TaskStatus::InputRequired {
                carry(server, &link, known);
            }
            let asked = known.caller.parked.as_ref().map(|parked| parked.open()).unwrap_or_default();
            // A task that waits for input says for which.
            shown.status = if asked.is_empty() { TaskStatus::Working } else { TaskStatus::InputRequired };
            shown.input_requests = (!asked.is_empty()).then_some(asked);
        }
    }
    Ok(shown)
}

/// Asks a server of a stateless revision for a task, and returns the task as the server describes it.
pub(super) async fn of_extension(
    server: &Arc<Server>,
    known: &Arc<Known>,
) -> Result<extension::Task, ErrorObject> {
    let link = link(server)?;
    let params = params(&link, known);
    let task = ask::<extension::GetTask>(server, &link, known, &params).await?;
    as_core(known, &task);
    Ok(task)
}

/// Returns a task of a stateless revision as a host of revision 2025-11-25 is shown it, and notes its state.
pub(super) fn as_core(known: &Known, task: &extension::Task) -> core::Task {
    let mut task = to_core(task, &known.id);
    if known.is_cancelled() {
        task.status = TaskStatus::Cancelled;
    }
    if known.sees(&task) {
        known.ring();
    }
    task
}

/// Keeps a request for a task's result open, because a core server sends the task's questions to the client that waits for the result.
fn carry(server: &Server, link: &Link, known: &Arc<Known>) {
    if known.carried.swap(true, Ordering::AcqRel) {
        return;
    }
    let (control, params) = (link.control(), params(link, known));
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
            known.carried.store(false, Ordering::Release);
        }
    });
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
