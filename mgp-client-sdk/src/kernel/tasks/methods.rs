//! `tasks/get`, `tasks/update`, `tasks/cancel`, `tasks/result`: goes to the server whose task it is.

use super::{
    ids::rename,
    table::{Form, Known},
};
use crate::kernel::{core::Core, forward::forward, server::name_questions};
use mgp_transport::seam::{Incoming, Reply, Session, Visibility};
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    mcp::{
        ClientCapabilities, ProtocolVersion,
        tasks::{core::GetTaskPayload, extension::UpdateTask, extension::tasks_not_declared},
    },
    rpc::{Call, ErrorObject},
};

/// The methods that are answered here.
pub(in crate::kernel) const METHODS: [&str; 5] =
    ["tasks/get", "tasks/update", "tasks/cancel", "tasks/result", "tasks/list"];

/// Answers a method about one task.
pub(in crate::kernel) async fn answer(core: &Core, principal: &Principal, message: Incoming) -> Reply {
    match form(&message) {
        Ok(form) if &*message.method == "tasks/list" => super::list::list(core, principal, form).await,
        Ok(form) => about_one(core, principal, form, message).await.unwrap_or_else(Reply::error),
        Err(error) => Reply::error(error),
    }
}

/// The form in which a host speaks of tasks.
fn form(message: &Incoming) -> Result<Form, ErrorObject> {
    let session = message.session();
    let stateless =
        session.and_then(Session::get::<ProtocolVersion>).is_some_and(ProtocolVersion::is_stateless);
    let form = if stateless { Form::Extension } else { Form::Core };
    if form == Form::Extension {
        let capabilities = session.and_then(Session::get::<ClientCapabilities>).unwrap_or_default();
        if !capabilities.takes_tasks() {
            return Err(tasks_not_declared());
        }
    }
    let known = match form {
        Form::Extension => &*message.method != GetTaskPayload::METHOD && &*message.method != "tasks/list",
        Form::Core => &*message.method != UpdateTask::METHOD,
    };
    if known { Ok(form) } else { Err(ErrorObject::method_not_found(&message.method)) }
}

async fn about_one(
    core: &Core,
    principal: &Principal,
    form: Form,
    mut message: Incoming,
) -> Result<Reply, ErrorObject> {
    let mut params = std::mem::take(&mut message.params).into_object()?;
    let id = params.text("taskId").ok_or_else(|| {
        ErrorObject::invalid_params("invalid params: missing taskId: expected the id of a task")
    })?;
    let unknown = || ErrorObject::invalid_params(format!("unknown task: {id:?}"));
    // A right that was taken back ends what it began.
    let may = |known: &Known| known.form == form && core.access.view(principal).sees(&known.tool);
    let known = core.tasks.get(&id, principal).filter(may).ok_or_else(unknown)?;
    let server = known.server.upgrade().ok_or_else(unknown)?;
    params.insert("taskId", RawJson::from(known.id.as_str()));
    message.params = params.into();
    let reply = forward(core, &server, principal, message, &id).await;
    let Some(mut result) = reply.result().and_then(|result| RawObject::from_json(result).ok()) else {
        return Ok(reply);
    };
    rename(&mut result, &id);
    name_questions(&mut result, &server);
    Ok(Reply::ok(result.to_json()))
}
