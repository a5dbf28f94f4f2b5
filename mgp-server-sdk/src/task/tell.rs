//! Notifies clients that a task has changed.

use super::{StoredTask, wire};
use crate::Notifier;
use mgp_transport::seam::Peer;
use mgp_types::mcp::tasks::core::TaskStatusChanged;
use std::time::Duration;

/// The time limit for notifying one client.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The receivers of a task's changes.
#[derive(Debug, Clone)]
pub(super) struct Tell {
    /// The client that created the task, while it is connected, if it is notified without asking.
    pub(super) peer: Option<Peer>,
    /// Notifies the clients that listen, otherwise.
    pub(super) notifier: Notifier,
}

impl Tell {
    /// Sends the state of a task. These messages are best effort: a client that does not read them is not awaited.
    pub(super) async fn changed(&self, task: &StoredTask) {
        let task = wire::task(task);
        let Some(peer) = &self.peer else { return self.notifier.task_changed(&task).await };
        if peer.is_closed() {
            return;
        }
        let params = (&task).into();
        let told = tokio::time::timeout(TIMEOUT, peer.notice::<TaskStatusChanged>(&params));
        if !matches!(told.await, Ok(Ok(()))) {
            tracing::debug!(task = task.task_id, "a client was not notified of its task");
        }
    }
}
