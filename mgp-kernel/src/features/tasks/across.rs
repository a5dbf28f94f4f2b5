//! Answers the methods for a task whose host and server use different forms, and for a task whose result the kernel
//! keeps.

use super::{
    known_task::KnownTask,
    look::{about, ask, look, shown},
    wait,
};
use crate::{host::HostDialect, rights::rights::Rights, upstream::Server};
use mgp_transport::seam::{Incoming, Reply};
use mgp_types::{
    json::RawJson,
    mcp::tasks::{
        CancelTask, GetTask, Task, TaskStatus,
        core::GetTaskPayload,
        extension::{UpdateTask, UpdateTaskParams},
    },
    rpc::{Call, Empty, ErrorObject},
};
use std::sync::Arc;

/// Answers a method for one task, in its host's form.
pub(super) async fn answer(
    rights: &Rights,
    server: &Arc<Server>,
    known: &Arc<KnownTask>,
    message: &Incoming,
) -> Result<Reply, ErrorObject> {
    let host = HostDialect::of(message.session());
    match &*message.method {
        GetTask::METHOD => Ok(Reply::ok(known.form.encode(&look(server, known, host).await?))),
        CancelTask::METHOD => cancel(server, known, host).await,
        UpdateTask::METHOD => {
            let UpdateTaskParams { input_responses, .. } = message.params.decode()?;
            if let Some(parked) = &known.caller.parked {
                parked.answer(&input_responses);
            }
            Ok(Reply::from_value(&Empty::default()))
        }
        GetTaskPayload::METHOD => wait::result(rights, server, known, message, host).await,
        other => Err(ErrorObject::method_not_found(other)),
    }
}

/// Cancels a task. If its server only notes the request, the host is notified that the task is cancelled, whatever its later state
/// at the server. If the server cancels at once, a task that has ended is not changed.
async fn cancel(
    server: &Arc<Server>,
    known: &Arc<KnownTask>,
    host: HostDialect,
) -> Result<Reply, ErrorObject> {
    if !known.at_server.is_by_client() && look(server, known, host).await?.status.is_terminal() {
        return Err(ErrorObject::invalid_params("the task has ended: it cannot be cancelled"));
    }
    let asked = ask::<CancelTask>(server, known, about(known)).await;
    if known.at_server.is_by_client() && asked.is_ok() {
        if let Some(task) = known.last_seen() {
            known.sees(Task { status: TaskStatus::Cancelled, ..task });
        }
    } else if !known.at_server.is_by_client() {
        asked?;
        if !shown(server, known).await?.status.is_terminal() {
            known.cancel();
        }
    } else if !shown(server, known).await?.status.is_terminal() {
        asked?;
    }
    let task = known.last_seen().map(|task| known.form.encode_cancelled(&known.sees(task)));
    Ok(Reply::ok(task.unwrap_or_else(RawJson::empty_object)))
}
