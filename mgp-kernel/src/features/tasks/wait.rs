//! `tasks/result` of a host of revision 2025-11-25, for a task of a server of a stateless revision: waits for the task's end, and
//! sends its questions to the host meanwhile.

use super::{
    KnownTask,
    look::{ask, look, unknown},
};
use crate::{
    ground::caller::Caller,
    host::HostDialect,
    rights::rights::Rights,
    upstream::{HostQuestion, Server},
};
use futures_util::{StreamExt, stream::FuturesUnordered};
use mgp_client_sdk::session::QuestionGuard;
use mgp_transport::seam::{Incoming, Reply, Visibility};
use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::{
        CallTool, InputRequest,
        tasks::{
            Task, TaskStatus,
            core::related_to_task,
            extension::{UpdateTask, UpdateTaskParams},
        },
    },
    rpc::{Call, ErrorObject, RawResult},
};
use std::{sync::Arc, time::Duration};

/// The interval between two queries of a task whose server names none. An interval of the server is kept between
/// [`SHORTEST_PAUSE`] and [`LONGEST_PAUSE`].
pub(super) const PAUSE: Duration = Duration::from_secs(1);
pub(super) const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Answers `tasks/result`.
pub(super) async fn result(
    rights: &Rights,
    server: &Arc<Server>,
    known: &Arc<KnownTask>,
    message: &Incoming,
    host: HostDialect,
) -> Result<Reply, ErrorObject> {
    if let Some(kept) = &known.kept {
        return of_task(kept, server, known, host).map(Reply::ok);
    }
    let caller = Caller::of(message).ok_or_else(|| ErrorObject::internal("there is no host to ask"))?;
    let cancel = message.cancel_token().cloned().unwrap_or_default();
    let ended = until_end(rights, server, known, &caller, host);
    let task = tokio::select! {
        // In this order, so that a result that arrived before the host disconnected is not lost.
        biased;
        ended = ended => ended?,
        () = cancel.cancelled() => return Ok(Reply::cancelled(RawJson::empty_object())),
        () = tokio::time::sleep(known.remaining()) => return Err(unknown(&known.id)),
    };
    match (task.status, task.result, task.error) {
        _ if known.is_cancelled() => Err(cancelled()),
        (TaskStatus::Completed, Some(result), _) => of_task(&result, server, known, host).map(Reply::ok),
        (TaskStatus::Failed, _, Some(error)) => Err(host.error(error)),
        (TaskStatus::Cancelled, ..) => Err(cancelled()),
        (status, ..) => {
            let problem = format!("the server reports that the task is {status}, without its outcome");
            Err(ErrorCode::UpstreamError.error_outcome_unknown(problem))
        }
    }
}

fn cancelled() -> ErrorObject {
    ErrorObject::invalid_params("the task was cancelled, and has no result")
}

/// Returns the result for the host, with the id of its task.
fn of_task(
    result: &RawResult,
    server: &Server,
    known: &KnownTask,
    host: HostDialect,
) -> Result<RawResult, ErrorObject> {
    let valid = host.valid(CallTool::METHOD, host.tool_result(result.clone(), true)?)?;
    let clean = server.warnings.note_mends(CallTool::METHOD, valid);
    Ok(RawObject::from_json(&clean).map_or(clean, |object| related_to_task(object, &known.id).to_json()))
}

/// Queries a task until it has ended: at its server's interval, and whenever the server reports a change.
async fn until_end(
    rights: &Rights,
    server: &Arc<Server>,
    known: &Arc<KnownTask>,
    caller: &Caller,
    host: HostDialect,
) -> Result<Task, ErrorObject> {
    let mut asking = FuturesUnordered::new();
    loop {
        let changed = known.activity.changed.notified();
        tokio::pin!(changed);
        changed.as_mut().enable();
        // A revoked right also ends the tasks that it allowed.
        if !rights.access.view(&known.principal).sees(&known.tool) {
            return Err(unknown(&known.id));
        }
        let task = look(server, known, host).await?;
        if task.status.is_terminal() || known.is_cancelled() {
            return Ok(task);
        }
        let unreadable = |error| {
            let problem = format!("unreadable question of a task: {error}");
            ErrorCode::UpstreamError.error_outcome_unknown(problem)
        };
        for (key, request) in task.questions().map_err(unreadable)? {
            if let Some(taken) = known.takes_question(&key) {
                asking.push(bring(server, known, caller, key, request, taken));
            }
        }
        let pause = task.poll_interval_ms.map_or(PAUSE, Duration::from_millis);
        tokio::select! {
            Some(answered) = asking.next(), if !asking.is_empty() => answered?,
            () = changed => {}
            () = tokio::time::sleep(pause.clamp(SHORTEST_PAUSE, LONGEST_PAUSE)) => {}
        }
    }
}

/// Asks the host one question, and sends the answer to the task.
async fn bring(
    server: &Arc<Server>,
    known: &Arc<KnownTask>,
    caller: &Caller,
    key: String,
    request: InputRequest,
    taken: QuestionGuard<'_>,
) -> Result<(), ErrorObject> {
    let asked = related_to_task(request.params.into_object()?, &known.id);
    let question = HostQuestion {
        key: Some(&key),
        limit: server.spec.question_timeout,
        method: &request.method,
        params: asked.into(),
    };
    let answer = server.exchange.ask(caller, question).await?;
    let mut answers = RawObject::new();
    answers.insert_named(&key, answer);
    let params = UpdateTaskParams::new(known.own.as_str(), answers);
    ask::<UpdateTask>(server, known, |meta| UpdateTaskParams { meta, ..params }).await?;
    taken.answered();
    Ok(())
}
