//! Tells clients that a task has come further.

use super::{StoredTask, TaskForm, wire};
use crate::Notifier;
use mgp_transport::seam::Peer;
use mgp_types::mcp::tasks::core::TaskStatusChanged;
use std::time::Duration;

/// How long telling a client may take.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// Who is told of a task: in the core form the client that made it, for as long as it is there; in the extension who listens.
#[derive(Debug, Clone)]
pub(super) struct Tell {
    pub(super) form: TaskForm,
    /// Who made it.
    pub(super) peer: Option<Peer>,
    pub(super) notifier: Notifier,
}

impl Tell {
    /// Tells what a task is now. Nobody may rely on it, so a client that takes nothing is not waited for.
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
