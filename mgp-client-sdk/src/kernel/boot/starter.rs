//! Makes servers, and starts them.

use super::core::Core;
use crate::kernel::{
    ServerSpec,
    features::{server_set::ServerStarter, tasks::TaskTable},
    rights::rights::Rights,
    upstream::{Command, Server, supervise},
};
use async_trait::async_trait;
use std::{
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::{
    sync::{Semaphore, mpsc},
    task::JoinHandle,
};

/// The parts of a kernel that its servers share. Servers that are made start as long as the kernel lasts.
#[derive(Debug)]
pub(super) struct Starter {
    pub(super) core: Weak<Core>,
    /// The maximum time that a call waits for the start of its server.
    pub(super) start_wait: Duration,
    /// The limit on concurrent calls, over all servers.
    pub(super) calls: Arc<Semaphore>,
    pub(super) rights: Arc<Rights>,
    pub(super) tasks: Arc<TaskTable>,
}

#[async_trait]
impl ServerStarter for Starter {
    fn make(&self, spec: ServerSpec) -> (Arc<Server>, mpsc::Receiver<Command>) {
        let (calls, rights, tasks) = (self.calls.clone(), self.rights.clone(), self.tasks.clone());
        Server::new(spec, self.start_wait, calls, rights, tasks)
    }

    async fn recall(&self, server: &Arc<Server>) {
        if let Some(core) = self.core.upgrade() {
            core.recall(std::slice::from_ref(server)).await;
        }
    }

    fn supervise(&self, server: Arc<Server>, commands: mpsc::Receiver<Command>) -> JoinHandle<()> {
        let core = self.core.upgrade();
        tokio::spawn(async move {
            if let Some(core) = core {
                supervise(core, server, commands).await;
            }
        })
    }
}
