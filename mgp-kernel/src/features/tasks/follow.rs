//! Waits for the end of a task on behalf of the kernel. The host is not notified, and polls its task as before.

use super::{
    known_task::KnownTask,
    look::{about, ask, unknown},
    wait::{LONGEST_PAUSE, PAUSE, SHORTEST_PAUSE},
};
use crate::upstream::Server;
use mgp_transport::seam::{Incoming, Reply};
use mgp_types::{
    mcp::tasks::{GetTask, Task, TaskStatus, core::GetTaskPayload},
    rpc::{Call, ErrorObject, RawParams},
};
use std::{sync::Arc, time::Duration};

const SERVER_GONE: &str = "the server of its task is gone";

/// Waits for the end of a task, and returns its final answer, searched for secrets like the answer to the host.
///
/// # Errors
/// The reason why the answer will remain unknown, in words that follow "nobody knows whether it took effect".
pub(super) async fn end_of(known: &Arc<KnownTask>) -> Result<Reply, String> {
    if let Some(kept) = &known.kept {
        let server = known.server.upgrade().ok_or(SERVER_GONE)?;
        return Ok(searched(&server, known, Reply::ok(kept.clone())).await);
    }
    loop {
        let changed = known.activity.changed.notified();
        tokio::pin!(changed);
        changed.as_mut().enable();
        let server = known.server.upgrade().ok_or(SERVER_GONE)?;
        let pause = match look(&server, known).await {
            Ok(task) if task.status.is_terminal() => return answer(&server, known, task).await,
            Ok(task) => task.poll_interval_ms.map_or(PAUSE, Duration::from_millis),
            Err(error) if error == unknown(&known.id) => {
                return Err("its server has forgotten the task".to_owned());
            }
            // For example, a restarting server.
            Err(_) => PAUSE,
        };
        drop(server);
        let left = known.remaining();
        if left.is_zero() {
            return Err("the time of its task has expired".to_owned());
        }
        tokio::select! {
            () = changed => {}
            () = tokio::time::sleep(pause.clamp(SHORTEST_PAUSE, LONGEST_PAUSE).min(left)) => {}
        }
    }
}

/// Queries the server for a task, without noting its state, because its host has not seen it.
async fn look(server: &Server, known: &KnownTask) -> Result<Task, ErrorObject> {
    let json = ask::<GetTask>(server, known, about(known)).await?;
    known.at_server.decode(&json).map_err(|error| ErrorObject::internal(error.to_string()))
}

/// Returns the final answer of a task.
async fn answer(server: &Server, known: &KnownTask, task: Task) -> Result<Reply, String> {
    let asked = known.at_server.has(GetTaskPayload::METHOD);
    let reply = match (task.status, task.result, task.error) {
        (TaskStatus::Cancelled, ..) => return Err("its task was cancelled".to_owned()),
        _ if asked => match ask::<GetTaskPayload>(server, known, about(known)).await {
            Ok(result) => Reply::ok(result),
            // The error of the request, not of the tool.
            Err(error) if task.status == TaskStatus::Completed => {
                return Err(format!("its task is completed, but its result could not be read: {error}"));
            }
            Err(error) => Reply::error(error),
        },
        (_, Some(result), _) => Reply::ok(result),
        (_, None, Some(error)) => Reply::error(error),
        (status, None, None) => {
            return Err(format!("its server reports that its task is {status}, without its outcome"));
        }
    };
    Ok(searched(server, known, reply).await)
}

async fn searched(server: &Server, known: &KnownTask, reply: Reply) -> Reply {
    let mut message = Incoming::request(0, GetTask::METHOD, RawParams::none());
    message.set_principal(known.principal.clone());
    message.set_tool(known.tool.clone());
    server.path.results.reply(&message, reply).await
}
