//! `tasks/result`: waits for the end of a task, and in the meantime carries the task's questions to the client.

use super::{TaskOwner, TaskState, Tasks, job::Job, tasks::FoundTask, wire};
use crate::notify::OpenUrls;
use futures_util::{StreamExt, stream::FuturesUnordered};
use mgp_transport::{
    connection::error_at_edge,
    seam::{CallError, Incoming, Peer, Reply},
};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{Elicit, ElicitAction, ElicitResult, InputRequest, tasks::core::related_to_task},
    rpc::{Call, ErrorObject},
};

/// Answers `tasks/result`.
pub(super) async fn wait(tasks: &Tasks, incoming: &Incoming, id: &str) -> Result<Reply, ErrorObject> {
    let asker = TaskOwner::of(incoming);
    let cancel = incoming.cancel_token().cloned().unwrap_or_default();
    loop {
        let found = tasks.find(id, &asker).await?;
        let task = found.task();
        match task.state {
            TaskState::Answered { result, .. } => return Ok(wire::result(&result, id)),
            TaskState::Failed(error) => return Err(error),
            TaskState::Cancelled => {
                let why = task.message.unwrap_or_default();
                return Err(ErrorObject::invalid_params(format!(
                    "the task was cancelled, and has no result: {why}"
                )));
            }
            TaskState::Working | TaskState::Asks(_) => {}
        }
        let ended = async {
            match found {
                FoundTask::Here(job) => carry(&job, incoming.peer()).await,
                // The task runs in another process, so it has to be polled.
                FoundTask::Kept(_) => {
                    tokio::time::sleep(task.poll_interval.max(tasks.shared.limits.poll_interval)).await;
                    Ok(())
                }
            }
        };
        tokio::select! {
            // In this order, so that an answer that arrived before the client left is not lost.
            biased;
            ended = ended => ended.map_err(|error| error_at_edge(&error.into()))?,
            // The client no longer wants the result, or is gone.
            () = cancel.cancelled() => return Ok(Reply::cancelled(RawJson::empty_object())),
        }
    }
}

/// Carries a task's questions to a client and its answers back, until the task ends.
///
/// # Errors
/// Returns a [`CallError`] if the client cannot be reached: the questions wait for another client.
async fn carry(job: &Job, peer: Option<&Peer>) -> Result<(), CallError> {
    let mut changes = job.changes();
    let mut asking = FuturesUnordered::new();
    loop {
        if job.task().state.has_ended() {
            return Ok(());
        }
        while let Some(peer) = peer
            && let Some((key, request)) = job.send()
        {
            asking.push(ask(job, peer, key, request));
        }
        tokio::select! {
            // The job owns the sender.
            _ = changes.changed() => {}
            Some(asked) = asking.next() => asked?,
        }
    }
}

/// Sends one question and stores its answer.
async fn ask(job: &Job, peer: &Peer, key: String, request: InputRequest) -> Result<(), CallError> {
    let _unanswered = QuestionGuard { job, key: &key };
    let params = request.params.get().and_then(|json| RawObject::from_json(json).ok()).unwrap_or_default();
    let url = params.text("elicitationId").filter(|_| request.method == Elicit::METHOD);
    let opening = url.and_then(|url| OpenUrls::open(peer.session(), &url));
    let params = related_to_task(params, job.id());
    match peer.request_raw(request.method, params).await {
        Err(error @ (CallError::Connection(_) | CallError::Lost(_))) => Err(error),
        answer => {
            let accepted = |json: &RawJson| {
                json.decode::<ElicitResult>().is_ok_and(|answer| answer.action == ElicitAction::Accept)
            };
            if let Some(opening) = opening.filter(|_| answer.as_ref().is_ok_and(accepted)) {
                opening.accepted();
            }
            job.answered(&key, answer);
            Ok(())
        }
    }
}

/// A question that was sent to a client. Dropping it unanswered marks the question as unsent, so that another client may receive
/// it.
struct QuestionGuard<'a> {
    job: &'a Job,
    key: &'a str,
}

impl Drop for QuestionGuard<'_> {
    fn drop(&mut self) {
        self.job.unsend(self.key);
    }
}
