//! Answers the methods on a task whose host and server use different forms, and on a task whose result the kernel keeps.

use super::{
    form::Form,
    known::Known,
    look::{as_core, ask, link, of_core, of_extension, params},
    wait,
};
use crate::kernel::{
    core::Core,
    server::{Server, Understands},
};
use mgp_transport::seam::{Incoming, Reply};
use mgp_types::{
    mcp::tasks::{
        TaskStatus,
        core::{self, CancelTask, GetTask, GetTaskPayload},
        extension::{self, UpdateTask, UpdateTaskParams},
    },
    rpc::{Call, Empty, ErrorObject},
};
use std::sync::Arc;

/// Answers a method on one task, in its host's form.
pub(super) async fn answer(
    core: &Core,
    server: &Arc<Server>,
    known: &Arc<Known>,
    message: &Incoming,
) -> Result<Reply, ErrorObject> {
    let host = message.session().map_or(Understands::PLAIN, Understands::of);
    match (&*message.method, known.form) {
        (GetTask::METHOD, Form::Core) => Ok(Reply::from_value(&core_task(server, known).await?)),
        (GetTask::METHOD, Form::Extension) => Ok(Reply::from_value(&of_core(server, known, host).await?)),
        (CancelTask::METHOD, Form::Core) => cancel_extension(server, known).await,
        (CancelTask::METHOD, Form::Extension) => cancel_core(server, known).await,
        (UpdateTask::METHOD, Form::Extension) => {
            let UpdateTaskParams { input_responses, .. } = message.params.decode()?;
            if let Some(parked) = &known.caller.parked {
                parked.answer(&input_responses);
            }
            Ok(Reply::from_value(&Empty::default()))
        }
        (GetTaskPayload::METHOD, Form::Core) => wait::result(core, server, known, message, host).await,
        (other, _) => Err(ErrorObject::method_not_found(other)),
    }
}

/// Returns a task as its host of revision 2025-11-25 is shown it.
async fn core_task(server: &Arc<Server>, known: &Arc<Known>) -> Result<core::Task, ErrorObject> {
    match known.last_seen().filter(|_| known.kept().is_some()) {
        Some(task) => Ok(task),
        None => of_extension(server, known).await.map(|task| as_core(known, &task)),
    }
}

/// Cancels a task of a server of a stateless revision. Whatever becomes of the task there, its host is told that it is cancelled.
async fn cancel_extension(server: &Arc<Server>, known: &Arc<Known>) -> Result<Reply, ErrorObject> {
    if core_task(server, known).await?.status.is_terminal() {
        return Err(ErrorObject::invalid_params("the task has ended: it cannot be cancelled"));
    }
    let link = link(server)?;
    ask::<extension::CancelTask>(server, &link, known, &params(&link, known)).await?;
    let task = of_extension(server, known).await?;
    if !task.status.is_terminal() {
        known.cancel();
    }
    Ok(Reply::from_value(&as_core(known, &task)))
}

/// Cancels a task of a core server. A task that has ended stays as it is.
async fn cancel_core(server: &Arc<Server>, known: &Arc<Known>) -> Result<Reply, ErrorObject> {
    let link = link(server)?;
    let about = params(&link, known);
    if let Err(error) = ask::<CancelTask>(server, &link, known, &about).await {
        let task = ask::<GetTask>(server, &link, known, &about).await?;
        if !task.status.is_terminal() {
            return Err(error);
        }
    } else if let Some(mut task) = known.last_seen() {
        task.status = TaskStatus::Cancelled;
        known.sees(&task);
    }
    Ok(Reply::from_value(&Empty::default()))
}
