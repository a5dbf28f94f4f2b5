//! The handle to a kernel.

use super::{
    operator::{Operator, OperatorHandles},
    reload::{Reload, ReloadError},
    stop_progress::KernelStop,
};
use crate::{
    HostFace, KernelBuilder, Server, StateChanges,
    catalog::openapi,
    features::{
        manifest::{self, ManifestSource},
        registration::Registrar,
    },
};
use mgp_discovery::{config::Config, registry::RegisteredServer};
use mgp_security::{
    access::{AccessControl, AccessPolicy},
    audit::AuditLog,
    definition::Definitions,
    permission::{Confirmations, Permissions},
    validator::Validators,
};
use mgp_toolindex::{
    catalogue::NamedTool,
    index::{IndexError, Search, SearchResult},
};
use mgp_transport::seam::{BoxPeerService, Visibility};
use mgp_types::{
    context::Principal,
    discovery::{DeregisterServerParams, DeregisterServerResult, RegisterServerParams, RegisterServerResult},
    lifecycle::{ConfigurationChange, ServerState},
    openapi::DescribeApiParams,
    rpc::ErrorObject,
};
use std::{fmt, sync::Arc, time::Duration};

/// A handle to a running kernel. Clones share the kernel, and its servers end when the last clone is dropped.
///
/// ```no_run
/// use mgp_kernel::{ChildCommand, ConnectionConfig, Principal, Endpoint, Kernel, ServerSpec};
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
pub struct Kernel(Arc<KernelParts>);

/// The parts of a kernel that its handle uses.
pub(super) struct KernelParts {
    pub(super) face: HostFace,
    pub(super) operator: Arc<OperatorHandles>,
    pub(super) reload: Reload,
    pub(super) stop: KernelStop,
    /// The validators of the pipeline.
    pub(super) validators: Validators,
    /// The pipeline for compensations in transactions, for as long as there is a handle to the kernel.
    pub(super) _compensations: Arc<BoxPeerService>,
    /// The counters; `None` if the kernel counts nothing.
    #[cfg(feature = "metrics")]
    pub(super) metrics: Option<Arc<crate::path::metrics::Metrics>>,
}

impl Kernel {
    /// Returns the builder of a kernel, without servers and with all state in memory.
    #[must_use]
    pub fn builder() -> KernelBuilder {
        KernelBuilder::default()
    }

    pub(super) fn new(parts: KernelParts) -> Self {
        Self(Arc::new(parts))
    }

    /// Returns the states that servers assigned to sessions.
    #[cfg(test)]
    pub(crate) fn session_states(&self) -> &crate::features::session_states::SessionStates {
        &self.0.reload.session_states
    }

    /// Returns the service for hosts.
    #[must_use]
    pub fn face(&self) -> &HostFace {
        &self.0.face
    }

    /// Returns the view of the kernel for its operator: reasons why tools are offered or refused, and notices about servers.
    #[must_use]
    pub fn operator(&self) -> Operator<'_> {
        let KernelParts { operator, reload: Reload { limits, quotas, .. }, validators, .. } = &*self.0;
        Operator { handles: operator, limits, quotas, validators }
    }

    /// Returns the current servers: those of the configuration, in its order, then registered ones.
    #[must_use]
    pub fn servers(&self) -> Arc<Vec<Arc<Server>>> {
        self.0.operator.servers.all()
    }

    /// Watches changes of the servers' states, from now on (§11.2).
    #[must_use]
    pub fn state_changes(&self) -> StateChanges {
        self.0.operator.servers.states.watch()
    }

    /// Registers a server, as `mgp/discovery/register` does (§15.4). Returns once the server's first start has succeeded or failed,
    /// or has taken too long to wait for.
    ///
    /// # Errors
    /// - 1000 if the caller may not register servers
    /// - 4101 if the id is taken
    /// - -32602 if the server's settings are invalid
    /// - 3001 if the maximum number of servers is reached
    /// - -32603 if the server cannot be stored or audited
    pub async fn register(
        &self,
        caller: &Principal,
        params: RegisterServerParams,
    ) -> Result<RegisterServerResult, ErrorObject> {
        self.0.operator.registered.register(caller, Ok(params)).await
    }

    /// Removes a registered server, as `mgp/discovery/deregister` does (§15.5). The server's running calls end first, but this
    /// method does not wait for them.
    ///
    /// # Errors
    /// 1000 if the caller may not deregister the server, or if it is a server of the configuration; -32603 if the server
    /// cannot be removed or audited.
    pub async fn deregister(
        &self,
        caller: &Principal,
        params: DeregisterServerParams,
    ) -> Result<DeregisterServerResult, ErrorObject> {
        self.0.operator.registered.deregister(caller, Ok(params)).await
    }

    /// Returns the current registry entries of all servers.
    #[must_use]
    pub fn registry(&self) -> Arc<Vec<RegisteredServer>> {
        self.0.operator.servers.registry.servers()
    }

    /// Returns the tools that are offered to a principal, by their names for hosts.
    #[must_use]
    pub fn tools(&self, principal: &Principal) -> Vec<NamedTool> {
        let view = self.0.operator.tools.offered.view(principal);
        self.0.operator.tools.load().names.iter().filter(|named| view.sees(named.tool.id())).collect()
    }

    /// Returns the service manifest of the tools that are offered to a principal, in the form of the extension proposals.
    #[must_use]
    pub fn manifest(&self, principal: &Principal) -> serde_json::Value {
        let Reload { limits, quotas, .. } = &self.0.reload;
        let tools = self.0.operator.tools.clone();
        let source = ManifestSource { tools, limits: limits.clone(), quotas: quotas.clone() };
        manifest::document(&source, principal, None)
    }

    /// Returns the tools that are offered to a principal as an OpenAPI 3.1 document, for REST clients.
    #[must_use]
    pub fn openapi(&self, principal: &Principal) -> serde_json::Value {
        openapi::document(&self.0.operator.tools, principal, &DescribeApiParams::default())
    }

    /// Searches the tools that are offered to a principal. The result for a host also depends on the host's request and on the
    /// budget of its session.
    ///
    /// # Errors
    /// [`IndexError::Engine`].
    pub fn search(&self, principal: &Principal, search: &Search) -> Result<SearchResult, IndexError> {
        let view = self.0.operator.tools.offered.view(principal);
        self.0.operator.tools.names.index().search(search, &*view)
    }

    /// Returns the access control, which decides which agent may use which tool.
    #[must_use]
    pub fn access(&self) -> &AccessControl {
        &self.0.operator.rights.access
    }

    /// Returns the permissions of every server, with their states.
    #[must_use]
    pub fn permissions(&self) -> &Permissions {
        &self.0.operator.rights.permissions
    }

    /// Returns the questions about calls, and their answers.
    #[must_use]
    pub fn confirmations(&self) -> &Confirmations {
        &self.0.operator.rights.confirmations
    }

    /// Returns the registrar, which adds and removes servers in addition to the configuration, and stores requests for
    /// servers.
    #[must_use]
    pub fn registrar(&self) -> &Registrar {
        &self.0.operator.registered.registrar
    }

    /// Returns the pins of the tools' definitions.
    #[must_use]
    pub fn definitions(&self) -> &Definitions {
        &self.0.operator.rights.definitions
    }

    /// Returns the audit trail, if it is kept.
    #[must_use]
    pub fn audit_log(&self) -> Option<&AuditLog> {
        self.0.operator.trail.log.as_ref()
    }

    /// Records an HTTP request that was rejected before it reached a session. One event for all such requests with the same reason
    /// and caller is stored within a second. This method is meant for
    /// [`on_denial`](mgp_transport::http::server::HttpServerBuilder::on_denial).
    #[cfg(feature = "http")]
    pub fn record_denial(&self, denial: &mgp_transport::http::server::Denial) {
        self.0.operator.trail.denied(denial);
    }

    /// Returns a builder that serves the kernel to hosts over Streamable HTTP. The kernel records the requests that the server
    /// rejects. A host with the admin role that [stops](Self::stop_requested) the kernel also stops the server. Each host needs an
    /// API key or a token, which names its principal.
    ///
    /// ```
    /// use mgp_kernel::{ApiKey, Principal, Kernel};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let kernel = Kernel::builder().start().await?;
    /// let (key, hash) = ApiKey::generate()?;
    /// let server = kernel.http().api_key(hash, Principal::agent("ann")).build().bind("127.0.0.1:0").await?;
    /// println!("ann sends {key} as X-API-Key to {}", server.url());
    /// server.shutdown().await;
    /// kernel.shutdown().await;
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "http")]
    #[must_use]
    pub fn http(&self) -> mgp_transport::http::server::HttpServerBuilder {
        let (face, denied, stopping) = (self.face().clone(), self.clone(), self.clone());
        let make_service = move |session: &mgp_transport::seam::Session| {
            crate::ground::trace::trace_refusals(session);
            (face.service(), Some(face.lane()))
        };
        mgp_transport::http::server::HttpServer::builder(make_service)
            .on_denial(move |denial| denied.record_denial(&denial))
            .stop_when(async move { stopping.stop_requested().await })
    }

    /// Returns the kernel's current metrics as text, in the format [`METRICS_CONTENT_TYPE`](crate::METRICS_CONTENT_TYPE); `None` if the
    /// kernel [counts nothing](crate::ProgramSettings::metrics).
    ///
    /// ```
    /// use mgp_kernel::{Kernel, METRICS_CONTENT_TYPE};
    /// use mgp_transport::http::server::TextPage;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let kernel = Kernel::builder().program(|program| program.metrics = true).start().await?;
    /// let counting = kernel.clone();
    /// let page = TextPage::new("/metrics", METRICS_CONTENT_TYPE, move || counting.metrics().unwrap_or_default());
    /// let serving = page.bind("127.0.0.1:0".parse()?).await?;
    /// println!("Prometheus reads {}", serving.url());
    /// # assert!(kernel.metrics().is_some_and(|text| text.ends_with("# EOF\n")));
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "metrics")]
    #[must_use]
    pub fn metrics(&self) -> Option<String> {
        let operator = &self.0.operator;
        let parts = || crate::path::metrics::ScrapedParts {
            started_at: operator.facts.started_at,
            hosts: operator.hosts.clone(),
            parking: operator.parking.clone(),
            tools: operator.tools.clone(),
            servers: operator.servers.clone(),
        };
        self.0.metrics.as_ref().map(|metrics| metrics.text(parts()))
    }

    /// Sets the function that counts the open TCP connections of hosts for the [metrics](Self::metrics): those with an authenticated
    /// request, and the others. Only the first call has an effect.
    #[cfg(feature = "metrics")]
    pub fn count_connections(&self, count: impl Fn() -> (usize, usize) + Send + Sync + 'static) {
        if let Some(metrics) = &self.0.metrics {
            metrics.count_connections(count);
        }
    }

    /// Returns the number of hosts that have completed their handshake and are still connected.
    #[must_use]
    pub fn hosts(&self) -> usize {
        self.0.operator.hosts.count()
    }

    /// Returns whether something uses the kernel: a connected host, a running or parked call, or a running task.
    #[must_use]
    pub fn is_used(&self) -> bool {
        let tasks = &self.0.operator.tasks;
        self.hosts() > 0
            || self.face().parked() > 0
            || self.servers().iter().any(|server| server.in_flight() > 0 || tasks.runs_at(server))
    }

    /// Waits until no server is still starting for the first time, or until the time limit. Returns the ids of the servers that
    /// are not connected, except those that start on demand.
    pub async fn ready(&self, limit: Duration) -> Vec<String> {
        let settled = async {
            for server in self.servers().iter() {
                server.first_start().await;
            }
        };
        let _ = tokio::time::timeout(limit, settled).await;
        let servers = self.servers();
        let is_down =
            |server: &&Arc<Server>| server.status().state != ServerState::Connected && !server.is_on_demand();
        let down = servers.iter().filter(is_down);
        down.map(|server| server.id().to_owned()).collect()
    }

    /// Names this kernel among replicas, as the label `replica` of its metrics. Only the first call has an effect.
    #[cfg(feature = "metrics")]
    pub fn name_replica(&self, name: &str) {
        if let Some(metrics) = &self.0.metrics {
            metrics.name_replica(name);
        }
    }

    /// Applies another configuration, by the difference from the current one. New servers start, removed ones drain and end, and those with
    /// changed settings drain and restart. The others keep running, and so do their calls. Rules of access and permissions are in force
    /// when this method returns. The change is recorded before it is made. The policy file is not read again: see
    /// [`reconfigure_with_policy`](Self::reconfigure_with_policy).
    ///
    /// The configuration replaces the current one as a whole, including what [`KernelBuilder::config`](crate::KernelBuilder::config) changed in it.
    /// The servers of the program ([`KernelBuilder::server`](crate::KernelBuilder::server)) stay, and so does everything else that the builder set.
    ///
    /// # Errors
    /// [`ReloadError`]; the kernel keeps its current configuration.
    pub async fn reconfigure(
        &self,
        config: &Config,
        by: &Principal,
    ) -> Result<ConfigurationChange, ReloadError> {
        Box::pin(self.0.reload.reconfigure(config, None, by)).await
    }

    /// Applies another configuration like [`reconfigure`](Self::reconfigure), and replaces the policy that decides on access where no rule does.
    /// No call is judged by the new policy with rules that were taken away, or by the old one with rules that were added.
    ///
    /// # Errors
    /// [`ReloadError`]; the kernel keeps its current configuration and its policy.
    pub async fn reconfigure_with_policy(
        &self,
        config: &Config,
        policy: Arc<dyn AccessPolicy>,
        by: &Principal,
    ) -> Result<ConfigurationChange, ReloadError> {
        Box::pin(self.0.reload.reconfigure(config, Some(policy), by)).await
    }

    /// Drains every server, ends the processes that the kernel started, and stores the remaining events of the audit trail. A server at
    /// a URL is only disconnected, because it has other clients. Hosts with `lifecycle` are notified that the kernel is draining.
    pub async fn shutdown(&self) {
        self.0.stop.shut_down(None).await;
    }

    /// Shuts down like [`shutdown`](Self::shutdown), with a time limit for running calls instead of that of each server. A shutdown in
    /// progress keeps its limits.
    pub async fn shutdown_within(&self, limit: Duration) {
        self.0.stop.shut_down(Some(limit)).await;
    }

    /// Returns the maximum time that running calls get at a [`shutdown`](Self::shutdown). A server that is still starting adds the time
    /// limit of its start.
    #[must_use]
    pub fn drain_limit(&self) -> Duration {
        let limit = |server: &Arc<Server>| {
            let start =
                if server.connection.is_starting() { server.spec.startup_timeout } else { Duration::ZERO };
            server.spec.shutdown_timeout.saturating_add(start)
        };
        self.servers().iter().map(limit).max().unwrap_or_default()
    }

    /// Waits until a host with the admin role has requested the kernel to stop (`mgp/lifecycle/shutdown`, §11.4). The servers
    /// drain from then on, and [`shutdown`](Self::shutdown) waits for them. A program that serves hosts should then exit.
    pub async fn stop_requested(&self) {
        self.0.operator.servers.stopping.asked().await;
    }
}

impl Drop for KernelParts {
    fn drop(&mut self) {
        self.operator.servers.abort();
        self.operator.instances.abort();
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel").field("servers", &self.0.operator.servers).finish_non_exhaustive()
    }
}
