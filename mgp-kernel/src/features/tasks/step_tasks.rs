//! The ends of tasks with which servers answer steps of transactions.

use super::{TaskTable, follow::end_of};
use crate::upstream::servers::Servers;
use async_trait::async_trait;
use mgp_lifecycle::transaction::{StepTask, TaskFollower};
use mgp_transport::seam::Reply;
use mgp_types::context::Principal;
use std::sync::Arc;

/// The tasks of steps, which are followed until the kernel ends.
pub(crate) struct StepTasks {
    pub(crate) tasks: Arc<TaskTable>,
    pub(crate) servers: Arc<Servers>,
}

#[async_trait]
impl TaskFollower for StepTasks {
    async fn end(&self, task: StepTask) -> Result<Reply, String> {
        let known = self.tasks.get(&task.id, &task.caller).ok_or("the gateway does not know its task")?;
        tokio::select! {
            end = end_of(&known) => end,
            () = self.servers.stopping.ended() => Err("its gateway ended while its task ran".to_owned()),
        }
    }

    fn has_ended(&self, caller: &Principal, id: &str) -> bool {
        self.tasks.get(id, caller).is_some_and(|known| known.has_ended())
    }
}
