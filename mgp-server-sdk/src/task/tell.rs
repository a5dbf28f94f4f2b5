//! Tells clients that a task has changed.

use super::{StoredTask, TaskForm, wire};
use crate::Notifier;
use mgp_transport::seam::Peer;
use mgp_types::mcp::tasks::core::TaskStatusChanged;
use std::time::Duration;

/// The time limit for telling one client.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// The receivers of a task's changes: in the core form the client that created the task, while it is connected; in the extension the
/// clients that listen.
#[derive(Debug, Clone)]
pub(super) struct Tell {
    pub(super) form: TaskForm,
    /// The client that created the task.
    pub(super) peer: Option<Peer>,
    pub(super) notifier: Notifier,
}

impl Tell {
    /// Tells the state of a task. These messages are best effort, so a client that does not read them is not waited for.
    pub(super) async fn changed(&self, task: &StoredTask) {
        let telling = async {
            match self.form {
                TaskForm::Extension => self.notifier.task_changed(&wire::extension(task)).await,
                TaskForm::Core => {
                    let Some(peer) = self.peer.as_ref().filter(|peer| !peer.is_closed()) else { return };
                    if let Err(error) = peer.notice::<TaskStatusChanged>(&wire::core(task)).await {
                        tracing::debug!(task = task.id, %error, "a client was not told of its task");
                    }
                }
            }
        };
        if tokio::time::timeout(TIME_LIMIT, telling).await.is_err() {
            tracing::debug!(task = task.id, "a client takes nothing, and was not told of its task");
        }
    }
}
