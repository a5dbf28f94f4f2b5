//! Tells clients that a task has changed.

use super::{StoredTask, wire};
use crate::Notifier;
use mgp_transport::seam::Peer;
use mgp_types::mcp::tasks::core::TaskStatusChanged;
use std::time::Duration;

/// The time limit for telling one client.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The receivers of a task's changes.
#[derive(Debug, Clone)]
pub(super) struct Tell {
    /// The client that created the task, if it is told unasked, while it is connected.
    pub(super) peer: Option<Peer>,
    /// Tells the clients that listen otherwise.
    pub(super) notifier: Notifier,
}

impl Tell {
    /// Tells the state of a task. These messages are best effort, so a client that does not read them is not waited for.
    pub(super) async fn changed(&self, task: &StoredTask) {
        let task = wire::task(task);
        let telling = async {
            match &self.peer {
                None => self.notifier.task_changed(&task).await,
                Some(peer) if peer.is_closed() => {}
                Some(peer) => {
                    if let Err(error) = peer.notice::<TaskStatusChanged>(&(&task).into()).await {
                        tracing::debug!(task = task.task_id, %error, "a client was not told of its task");
                    }
                }
            }
        };
        if tokio::time::timeout(TIMEOUT, telling).await.is_err() {
            tracing::debug!(task = task.task_id, "a client takes nothing, and was not told of its task");
        }
    }
}
