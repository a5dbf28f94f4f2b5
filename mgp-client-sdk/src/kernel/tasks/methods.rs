//! `tasks/get`, `tasks/update`, `tasks/cancel`, `tasks/result`: answered by the server that runs the task.

use super::{across, ids::rename, look::unknown};
use crate::kernel::{
    core::Core,
    forward::{Asked, Forwarded, forward, refuse, refuse_method},
    host::HostDialect,
    server::name_questions,
};
use mgp_server_sdk::era;
use mgp_transport::seam::{Incoming, Reply};
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    mcp::tasks::{TaskForm, TaskStatus, core::ListTasks},
    rpc::{Call, ErrorObject},
};

/// The methods that are answered here.
pub(in crate::kernel) const METHODS: [&str; 5] =
    ["tasks/get", "tasks/update", "tasks/cancel", "tasks/result", "tasks/list"];

/// Answers a method on tasks.
pub(in crate::kernel) async fn answer(core: &Core, principal: &Principal, message: Incoming) -> Reply {
    match era::tasks_of(message.session()).form_for(&message.method) {
        Ok(form) if &*message.method == ListTasks::METHOD => {
            let host = HostDialect::of(message.session());
            super::list::list(core, principal, form, host).await
        }
        Ok(form) => about_one(core, principal, form, message).await.unwrap_or_else(Reply::error),
        Err(error) => Reply::error(error),
    }
}

async fn about_one(
    core: &Core,
    principal: &Principal,
    form: TaskForm,
    mut message: Incoming,
) -> Result<Reply, ErrorObject> {
    let Some(id) = message.params.object()?.text("taskId") else {
        let error = ErrorObject::invalid_params("invalid params: missing taskId: expected the id of a task");
        return Ok(refuse_method(core, &message, error).await);
    };
    let known = core.tasks.get(&id, principal).filter(|known| known.form == form);
    let known = known.filter(|known| known.is_allowed(&core.access, principal));
    let found = known.and_then(|known| Some((known.server.upgrade()?, known)));
    let Some((server, known)) = found else {
        return Ok(refuse(core, principal, &Asked::of(&message), &id, unknown(&id)).await);
    };
    if known.is_across() {
        let event = Forwarded::begin(core, &server, principal, &message, &id)?;
        let answered = across::answer(core, &server, &known, &message).await;
        return Ok(event.close(core, answered.unwrap_or_else(Reply::error)).await);
    }
    let mut params = std::mem::take(&mut message.params).into_object()?;
    params.insert("taskId", RawJson::string(known.own.as_str()));
    message.params = params.into();
    let reply = forward(core, &server, principal, message, &id).await;
    let Some(mut result) = reply.result().and_then(|result| RawObject::from_json(result).ok()) else {
        return Ok(reply);
    };
    let status = result.text("status").and_then(|status| status.parse::<TaskStatus>().ok());
    if status.is_some_and(TaskStatus::is_terminal) {
        known.ends();
    }
    rename(&mut result, &id);
    name_questions(&mut result, &server);
    Ok(Reply::ok(result.to_json()))
}
