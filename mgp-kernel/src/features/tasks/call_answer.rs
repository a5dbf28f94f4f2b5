//! Registers the calls that have become tasks.

use super::{
    Plan, TaskTable,
    ids::rename,
    known_task::{KnownTask, TaskActivity},
};
use crate::{
    ground::{caller::Caller, round_host::RoundHost},
    host::parking::ParkedCall,
    upstream::{Link, Server},
};
use mgp_transport::seam::{CancelCause, CancelToken, ReplicaName};
use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::tasks::{CancelTask, Task, TaskForm, TaskStatus, core::TaskParams},
    rpc::{ErrorObject, RawResult},
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The maximum lifetime of a task, and the lifetime if its server names none.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// The time for which the kernel keeps an immediate result.
const KEPT: Duration = Duration::from_secs(60 * 60);

/// The answer to a call.
#[derive(Debug)]
pub(crate) enum CallAnswer {
    /// The answer itself.
    Answer(RawResult),
    /// A task, in the host's form.
    Task(RawResult),
}

impl TaskTable {
    /// Returns the result of a call for its host. If the call has become a task, the task is added to the table, under one of the kernel's own
    /// ids.
    ///
    /// # Errors
    /// The error for the host if its task cannot be kept or parsed.
    pub(crate) fn answer_to_call(
        &self,
        server: &Arc<Server>,
        link: &Link,
        caller: Option<&Caller>,
        plan: &Plan,
        result: RawResult,
    ) -> Result<CallAnswer, ErrorObject> {
        let caller = caller.and_then(|caller| Some((caller, caller.principal.as_ref()?)));
        let (Some(host), Some(target), Some((caller, principal))) = (plan.host, &plan.target, caller) else {
            return Ok(CallAnswer::Answer(result));
        };
        let (tool, principal) = (target.tool.clone(), principal.clone());
        let at_server = TaskForm::of(link.version);
        let new = |own: String, lifetime: Option<Duration>, kept| {
            let (now, over) = (Instant::now(), CancelToken::new());
            KnownTask {
                id: new_id(caller),
                principal,
                tool,
                server: Arc::downgrade(server),
                own,
                form: host,
                at_server,
                caller: for_task(caller, host, at_server, over.clone()),
                kept,
                since: now,
                until: now + lifetime.unwrap_or(LONGEST).min(LONGEST),
                over,
                activity: TaskActivity::default(),
            }
        };
        let Some(named) = at_server.created(&result) else {
            // A host that requested a task gets one.
            let keeps = host.is_by_client() && host != at_server;
            return Ok(if keeps { kept(self, server, result, new) } else { CallAnswer::Answer(result) });
        };
        let Some(own) = named.text("taskId") else { return Ok(CallAnswer::Answer(result)) };
        let lifetime = named.get("ttlMs").or_else(|| named.get("ttl")).and_then(millis);
        let add = || keep(self, server, link, new(own, lifetime, None));
        if host == at_server {
            let known = add()?;
            known.ring();
            let mut object = RawObject::from_json(&result).map_err(|error| unreadable(&error))?;
            rename(&mut object, &known.id);
            return Ok(CallAnswer::Task(object.to_json()));
        }
        let task = at_server.decode(&named.to_json()).map_err(|error| unreadable(&error))?;
        let known = add()?;
        let task = known.sees(task);
        known.ring();
        Ok(CallAnswer::Task(host.encode_created(&task)))
    }
}

/// Returns a new id for hosts, of 122 unguessable random bits. With replicas, the id names the one that has the task.
fn new_id(caller: &Caller) -> String {
    let id = uuid::Uuid::new_v4().simple().to_string();
    caller.peer.session().get::<ReplicaName>().map_or_else(|| id.clone(), |replica| replica.put_into(&id))
}

/// Adds a task to the table. If there is no room, the task is cancelled at its server, because nobody else knows of it.
fn keep(
    tasks: &TaskTable,
    server: &Server,
    link: &Link,
    task: KnownTask,
) -> Result<Arc<KnownTask>, ErrorObject> {
    let own = task.own.clone();
    let kept = tasks.add(task);
    if kept.is_err() {
        let (control, id) = (link.control(), server.id().to_owned());
        let params = TaskParams { meta: link.task_meta(), ..TaskParams::new(own) };
        tokio::spawn(async move {
            if let Err(error) = control.request::<CancelTask>(&params).await {
                tracing::debug!(server = id, %error, "a task that there is no room for was not cancelled");
            }
        });
    }
    kept
}

/// Returns the host for the questions of a task, until the task has ended. A host that polls its tasks is asked when it does.
fn for_task(caller: &Caller, host: TaskForm, at_server: TaskForm, over: CancelToken) -> Caller {
    let is_asked_later = !host.is_by_client() && at_server.is_by_client();
    let parked = || -> Arc<dyn RoundHost> { ParkedCall::new(None, RawObject::new()) };
    let parked = is_asked_later.then(parked);
    // The request is answered by then.
    let (request_id, call) = (None, None);
    Caller { peer: caller.peer.unbound(), request_id, call, parked, over: Some(over), ..caller.clone() }
}

/// Returns an ended task whose result the kernel keeps; or the result itself, if there is no room for it.
fn kept(
    tasks: &TaskTable,
    server: &Server,
    result: RawResult,
    new: impl FnOnce(String, Option<Duration>, Option<RawJson>) -> KnownTask,
) -> CallAnswer {
    let task = new(String::new(), Some(KEPT), Some(result.clone()));
    task.over.cancel(CancelCause::Disconnected);
    let Ok(known) = tasks.add(task) else {
        tracing::debug!(server = server.id(), "there is no room for a task's result: answered with it");
        return CallAnswer::Answer(result);
    };
    let now = format!("{:.3}", jiff::Timestamp::now());
    let task = Task {
        status: TaskStatus::Completed,
        created_at: now.clone(),
        last_updated_at: now,
        ttl_ms: u64::try_from(KEPT.as_millis()).ok(),
        result: Some(result),
        ..Task::default()
    };
    CallAnswer::Task(known.form.encode_created(&known.sees(task)))
}

fn unreadable(error: &mgp_types::json::JsonError) -> ErrorObject {
    ErrorCode::UpstreamError.error_outcome_unknown(format!("unreadable task: {error}"))
}

fn millis(json: &RawJson) -> Option<Duration> {
    json.decode::<u64>().ok().map(Duration::from_millis)
}
