//! Takes note of a call that has become a task.

use super::{
    ids::rename,
    table::{Form, NewTask},
};
use crate::kernel::server::{Caller, Link, Server};
use mgp_types::{
    context::{Target, ToolId},
    json::{RawJson, RawObject},
    mcp::stateless::ResultType,
    rpc::{ErrorObject, RawResult},
};
use std::{sync::Arc, time::Duration};

/// What a call must say to become a task.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct Creation {
    tool: ToolId,
    /// Whether its host asks for one, as revision 2025-11-25 has it.
    asked: bool,
}

impl Creation {
    /// Of a call with these params.
    pub(in crate::kernel) fn of(target: Option<&Target>, params: &RawObject) -> Option<Self> {
        Some(Self { tool: target?.tool.clone(), asked: params.get("task").is_some() })
    }
}

/// The result as the host gets it: where the call has become a task, the task is made known, under an id of the kernel's own.
///
/// # Errors
/// What the host is told where its task cannot be kept.
pub(in crate::kernel) fn created(
    server: &Arc<Server>,
    link: &Link,
    caller: Option<&Caller>,
    creation: &Creation,
    result: RawResult,
) -> Result<RawResult, ErrorObject> {
    let form = if link.is_stateless() { Form::Extension } else { Form::Core };
    let becomes = match form {
        Form::Extension => ResultType::of(&result) == ResultType::Task,
        Form::Core => creation.asked && result.may_hold("task"),
    };
    let Some(mut object) = becomes.then(|| RawObject::from_json(&result).ok()).flatten() else {
        return Ok(result);
    };
    let task = match form {
        Form::Extension => Some(object.clone()),
        Form::Core => object.object("task"),
    };
    let Some((task, own)) = task.and_then(|task| Some((task.clone(), task.text("taskId")?))) else {
        return Ok(result);
    };
    let Some(principal) = caller.and_then(|caller| caller.principal.clone()) else { return Ok(result) };
    let lifetime = task.get("ttlMs").or_else(|| task.get("ttl")).and_then(millis);
    let id = server.tasks.add(NewTask {
        principal,
        tool: creation.tool.clone(),
        server: Arc::downgrade(server),
        id: own,
        form,
        host: caller.filter(|caller| caller.parked.is_none()).map(|caller| caller.peer.unbound()),
        lifetime,
    })?;
    rename(&mut object, &id);
    Ok(object.to_json())
}

fn millis(json: &RawJson) -> Option<Duration> {
    json.decode::<u64>().ok().map(Duration::from_millis)
}
