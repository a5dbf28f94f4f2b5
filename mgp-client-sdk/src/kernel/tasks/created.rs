//! Notes the calls that have become tasks.

use super::{
    convert::{says_error, to_core, to_extension},
    form::Form,
    ids::rename,
    known::{Known, NewTask},
    plan::Plan,
};
use crate::kernel::{
    host::parking::Parked,
    server::{Caller, Link, Server},
};
use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::{
        stateless::ResultType,
        tasks::{
            TaskStatus,
            core::{self, TaskParams},
            extension,
        },
    },
    rpc::{ErrorObject, RawResult},
};
use std::{sync::Arc, time::Duration};

/// The answer to a call.
#[derive(Debug)]
pub(in crate::kernel) enum Created {
    /// The answer itself.
    Answer(RawResult),
    /// A task, in the host's form.
    Task(RawResult),
}

/// The time for which the kernel keeps a result that came at once.
const KEPT: Duration = Duration::from_secs(60 * 60);

/// Returns the result as the host gets it. If the call has become a task, the task is added to the table, under an id of the
/// kernel's own.
///
/// # Errors
/// The error for the host if its task cannot be kept or cannot be read.
pub(in crate::kernel) fn created(
    server: &Arc<Server>,
    link: &Link,
    caller: Option<&Caller>,
    plan: &Plan,
    result: RawResult,
) -> Result<Created, ErrorObject> {
    let (Some(host), Some(tool)) = (plan.host, plan.tool.clone()) else { return Ok(Created::Answer(result)) };
    let at_server = task_form(link);
    let Some(caller) = caller else { return Ok(Created::Answer(result)) };
    let Some(principal) = caller.principal.clone() else { return Ok(Created::Answer(result)) };
    let new = |own: String, lifetime, kept| NewTask {
        principal,
        tool,
        server: Arc::downgrade(server),
        own,
        form: host,
        at_server,
        caller: for_task(caller, host, at_server),
        lifetime,
        kept,
    };
    let Some(mut object) = names_task(at_server, &result) else {
        return match (host, at_server) {
            (Form::Core, Form::Extension) => Ok(kept(server, result, new)),
            _ => Ok(Created::Answer(result)),
        };
    };
    let task = if at_server == Form::Core { object.object("task") } else { Some(object.clone()) };
    let Some((task, own)) = task.and_then(|task| Some((task.clone(), task.text("taskId")?))) else {
        return Ok(Created::Answer(result));
    };
    let lifetime = task.get("ttlMs").or_else(|| task.get("ttl")).and_then(millis);
    if host == at_server {
        let known = keep(server, link, new(own, lifetime, None))?;
        known.ring();
        rename(&mut object, &known.id);
        return Ok(Created::Task(object.to_json()));
    }
    let task = RawObject::to_json(&task);
    match at_server {
        Form::Core => {
            let task: core::Task = task.decode().map_err(|error| unreadable(&error))?;
            let known = keep(server, link, new(own, lifetime, None))?;
            known.sees(&task);
            Ok(Created::Task(to_extension(&task, &known.id).to_create_result()))
        }
        Form::Extension => {
            let task: extension::Task = task.decode().map_err(|error| unreadable(&error))?;
            let known = keep(server, link, new(own, lifetime, None))?;
            let task = to_core(&task, &known.id);
            known.sees(&task);
            known.ring();
            Ok(Created::Task(as_core(task)?))
        }
    }
}

/// Returns the form in which a server speaks of tasks.
fn task_form(link: &Link) -> Form {
    if link.is_stateless() { Form::Extension } else { Form::Core }
}

/// Adds a task to the table. If there is no room, the task is cancelled at its server, because nobody else knows of it.
fn keep(server: &Arc<Server>, link: &Link, task: NewTask) -> Result<Arc<Known>, ErrorObject> {
    let own = task.own.clone();
    let kept = server.tasks.add(task);
    if kept.is_err() {
        let (control, id) = (link.control(), server.id().to_owned());
        let params = TaskParams { meta: link.task_meta(), ..TaskParams::new(own) };
        let form = task_form(link);
        tokio::spawn(async move {
            let cancelled = match form {
                Form::Core => control.request::<core::CancelTask>(&params).await.map(drop),
                Form::Extension => control.request::<extension::CancelTask>(&params).await.map(drop),
            };
            if let Err(error) = cancelled {
                tracing::debug!(server = id, %error, "a task that there is no room for was not cancelled");
            }
        });
    }
    kept
}

/// Returns the result as an object, if it names a task in its server's form.
fn names_task(at_server: Form, result: &RawResult) -> Option<RawObject> {
    let names = match at_server {
        Form::Extension => ResultType::of(result) == ResultType::Task,
        Form::Core => result.may_hold("task"),
    };
    names.then(|| RawObject::from_json(result).ok()).flatten()
}

/// Returns the host that is asked the questions of a task. A host of a stateless revision is asked when it looks at the task.
fn for_task(caller: &Caller, host: Form, at_server: Form) -> Caller {
    let parked = match (host, at_server) {
        (Form::Extension, Form::Core) => Some(Parked::new(None, RawObject::new())),
        _ => None,
    };
    Caller { peer: caller.peer.unbound(), parked, ..caller.clone() }
}

/// Returns a task that has ended already, whose result the kernel keeps; or the result itself, if there is no room for it.
fn kept(
    server: &Arc<Server>,
    result: RawResult,
    new: impl FnOnce(String, Option<Duration>, Option<RawJson>) -> NewTask,
) -> Created {
    let Ok(known) = server.tasks.add(new(String::new(), Some(KEPT), Some(result.clone()))) else {
        tracing::debug!(server = server.id(), "there is no room for a task's result: answered with it");
        return Created::Answer(result);
    };
    let now = jiff::Timestamp::now();
    let task = core::Task {
        task_id: known.id.clone(),
        status: if says_error(&result) { TaskStatus::Failed } else { TaskStatus::Completed },
        status_message: None,
        created_at: format!("{now:.3}"),
        last_updated_at: format!("{now:.3}"),
        ttl: u64::try_from(KEPT.as_millis()).ok(),
        poll_interval: None,
        meta: None,
        other: RawObject::new(),
    };
    known.sees(&task);
    as_core(task).map_or(Created::Answer(result), Created::Task)
}

fn as_core(task: core::Task) -> Result<RawResult, ErrorObject> {
    RawJson::from_value(&core::CreateTaskResult::new(task)).map_err(ErrorObject::from)
}

fn unreadable(error: &mgp_types::json::JsonError) -> ErrorObject {
    ErrorCode::UpstreamError.error_outcome_unknown(format!("unreadable task: {error}"))
}

fn millis(json: &RawJson) -> Option<Duration> {
    json.decode::<u64>().ok().map(Duration::from_millis)
}
