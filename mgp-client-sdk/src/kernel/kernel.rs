//! The handle on a kernel.

use super::{HostFace, KernelBuilder, Server, core::Core};
use mgp_discovery::registry::RegisteredServer;
use mgp_security::{access::AccessControl, audit::AuditLog, permission::Permissions};
use mgp_toolindex::catalogue::NamedTool;
use mgp_transport::seam::Visibility;
use mgp_types::{
    context::Principal,
    lifecycle::{ServerState, ShutdownReason},
};
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::task::JoinHandle;

/// A running kernel. A clone is the same kernel; when the last one is dropped, its servers end with it.
///
/// ```no_run
/// use mgp_client_sdk::{ChildCommand, ConnectionConfig, Principal, kernel::{Endpoint, Kernel, ServerSpec}};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let files = ChildCommand::new("files", "mcp-server-files").args(["."]);
/// let kernel = Kernel::builder().server(ServerSpec::new("files", Endpoint::Child(files))).start().await?;
/// let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
/// let host = kernel.face().serve(Principal::agent("me"), ConnectionConfig::default(), input, output);
/// host.closed().await;
/// kernel.shutdown().await;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Kernel(Arc<Inner>);

struct Inner {
    core: Arc<Core>,
    face: HostFace,
    supervisors: Mutex<Vec<JoinHandle<()>>>,
}

impl Kernel {
    /// A kernel without servers whose state is in memory.
    #[must_use]
    pub fn builder() -> KernelBuilder {
        KernelBuilder::default()
    }

    pub(super) fn new(core: Arc<Core>, face: HostFace, supervisors: Vec<JoinHandle<()>>) -> Self {
        Self(Arc::new(Inner { core, face, supervisors: Mutex::new(supervisors) }))
    }

    /// What hosts speak to.
    #[must_use]
    pub fn face(&self) -> &HostFace {
        &self.0.face
    }

    /// The servers, in the order of the configuration.
    #[must_use]
    pub fn servers(&self) -> &[Arc<Server>] {
        &self.0.core.servers
    }

    /// What is known of the servers at this moment.
    #[must_use]
    pub fn registry(&self) -> Arc<Vec<RegisteredServer>> {
        self.0.core.registry.servers()
    }

    /// The tools that are offered to a principal, by the names that hosts are shown.
    #[must_use]
    pub fn tools(&self, principal: &Principal) -> Vec<NamedTool> {
        let view = self.0.core.offered.view(principal);
        self.0.core.tools.load().names.iter().filter(|named| view.sees(named.tool.id())).collect()
    }

    /// Which agent may use which tool.
    #[must_use]
    pub fn access(&self) -> &AccessControl {
        &self.0.core.access
    }

    /// Where every permission of every server stands.
    #[must_use]
    pub fn permissions(&self) -> &Permissions {
        &self.0.core.permissions
    }

    /// The audit trail, where one is kept.
    #[must_use]
    pub fn audit_log(&self) -> Option<&AuditLog> {
        self.0.core.audit_log.as_ref()
    }

    /// How many hosts there are.
    #[must_use]
    pub fn hosts(&self) -> usize {
        self.0.core.hosts.count()
    }

    /// Waits until no server is still starting for the first time, or the time limit passes. Returns the ids of those that
    /// are not connected.
    pub async fn ready(&self, limit: Duration) -> Vec<String> {
        let settled = async {
            for server in self.servers() {
                server.first_start().await;
            }
        };
        let _ = tokio::time::timeout(limit, settled).await;
        let down = self.servers().iter().filter(|server| server.status().state != ServerState::Connected);
        down.map(|server| server.id().to_owned()).collect()
    }

    /// Drains every server, ends their processes, and stores what the audit trail still holds.
    pub async fn shutdown(&self) {
        for server in self.servers() {
            server.stop(ShutdownReason::KernelShutdown);
        }
        let supervisors =
            std::mem::take(&mut *self.0.supervisors.lock().unwrap_or_else(PoisonError::into_inner));
        for supervisor in supervisors {
            // One that panicked has dropped its connection and its process.
            let _ = supervisor.await;
        }
        if let Some(log) = self.audit_log()
            && let Err(error) = log.flush().await
        {
            tracing::error!(%error, "the last events were lost");
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        for supervisor in self.supervisors.get_mut().unwrap_or_else(PoisonError::into_inner) {
            supervisor.abort();
        }
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.core.fmt(f)
    }
}
