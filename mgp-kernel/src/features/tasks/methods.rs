//! `tasks/get`, `tasks/update`, `tasks/cancel`, `tasks/result`: answered by the server that runs the task.

use super::{TaskTable, across, ids::rename, look::unknown};
use crate::{
    features::forward::{ForwardEvent, Forwarder},
    upstream::name_questions,
};
use mgp_server_sdk::era;
use mgp_transport::seam::{Incoming, Reply, Role, RouteError, Routes};
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    mcp::tasks::{
        CancelTask, GetTask, TaskForm, TaskStatus,
        core::{GetTaskPayload, ListTasks},
        extension::UpdateTask,
    },
    rpc::{Call, ErrorObject},
};
use std::sync::Arc;

/// The tasks, and the forwarder of requests about them.
#[derive(Debug, Clone)]
pub(crate) struct TaskMethods {
    pub(crate) tasks: Arc<TaskTable>,
    pub(crate) forwarder: Forwarder,
}

/// Returns the methods for tasks.
pub(crate) fn routes() -> Routes<TaskMethods> {
    Routes::new()
        .route(GetTask, Role::Anyone, answer)
        .route(UpdateTask, Role::Anyone, answer)
        .route(CancelTask, Role::Anyone, answer)
        .route(GetTaskPayload, Role::Anyone, answer)
        .route(ListTasks, Role::Anyone, answer)
}

async fn answer(methods: TaskMethods, message: Incoming) -> Result<Reply, RouteError> {
    let principal = message.caller()?;
    match era::tasks_of(message.session()).form_for(&message.method) {
        Ok(form) if &*message.method == ListTasks::METHOD => {
            Ok(super::list::list(&methods, &principal, form, &message).await)
        }
        Ok(form) => about_one(&methods, &principal, form, message).await,
        Err(error) => Ok(Reply::error(error)),
    }
}

async fn about_one(
    TaskMethods { tasks, forwarder }: &TaskMethods,
    principal: &Principal,
    form: TaskForm,
    mut message: Incoming,
) -> Result<Reply, RouteError> {
    let id = message.params.object()?.text("taskId").ok_or_else(|| {
        ErrorObject::invalid_params("invalid params: missing taskId: expected the id of a task")
    })?;
    let rights = &forwarder.rights;
    let known = tasks.get(&id, principal).filter(|known| known.form == form);
    let known = known.filter(|known| known.is_allowed(&rights.access, principal));
    let found = known.and_then(|known| Some((known.server.upgrade()?, known)));
    let Some((server, known)) = found else {
        return Err(RouteError::about(&id, unknown(&id)));
    };
    if known.is_across() {
        let event = match ForwardEvent::begin(&rights.trail, &server, principal, &message, &id) {
            Ok(event) => event,
            Err(error) => return Ok(Reply::error(error)),
        };
        let answered = across::answer(rights, &server, &known, &message).await;
        let answered = server.path.results.reply(&message, answered.unwrap_or_else(Reply::error)).await;
        return Ok(event.close(answered).await);
    }
    let mut params = std::mem::take(&mut message.params).into_object()?;
    params.insert("taskId", RawJson::string(known.own.as_str()));
    message.params = params.into();
    let reply = forwarder.forward(&server, principal, message, &id).await?;
    let Some(mut result) = reply.result().and_then(|result| RawObject::from_json(result).ok()) else {
        return Ok(reply);
    };
    let status = result.text("status").and_then(|status| status.parse::<TaskStatus>().ok());
    if status.is_some_and(TaskStatus::is_terminal) {
        known.end();
    }
    rename(&mut result, &id);
    name_questions(&mut result, &server);
    Ok(Reply::ok(result.to_json()))
}
