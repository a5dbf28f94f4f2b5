//! The handle to a kernel.

use super::core::Core;
use crate::{
    HostFace, KernelBuilder, Server, StateChanges,
    catalog::{
        openapi,
        tools::{SuspectTool, suspect_tools},
        unavailable::{ClosedTools, closed_tools, open_waiting, waiting_groups},
    },
    features::{manifest, registration::Registrar},
};
use mgp_discovery::registry::RegisteredServer;
use mgp_security::{
    access::AccessControl,
    audit::AuditLog,
    definition::{DefinitionStanding, Definitions},
    limits::CallUse,
    permission::{Confirmations, Permissions},
    validator::{ValidatorAnswer, Validators},
};
use mgp_toolindex::{
    catalogue::NamedTool,
    index::{IndexError, IndexStats, Search, SearchResult},
};
use mgp_transport::seam::{BoxPeerService, Visibility};
use mgp_types::{
    context::{Principal, ToolId},
    discovery::{DeregisterServerParams, DeregisterServerResult, RegisterServerParams, RegisterServerResult},
    json::RawJson,
    lifecycle::{ServerNotice, ServerState},
    openapi::DescribeApiParams,
    rpc::ErrorObject,
    tool_check::ToolQuota,
    tool_index::WaitingTools,
    tool_metadata::CallEstimate,
};
use std::{fmt, sync::Arc, time::Duration};
use tokio::sync::watch;

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
pub struct Kernel(Arc<Inner>);

/// A tool, with the judgement of the gates.
#[derive(Debug, Clone)]
pub struct JudgedTool {
    /// The tool, by its name for hosts.
    pub named: NamedTool,
    /// The server's own definition, which is the pinned one. If it breaks MCP's schema, hosts are shown a valid form.
    pub definition: RawJson,
    /// The assessment of its risk, its permissions and its validators.
    pub profile: Arc<mgp_security::profile::ToolProfile>,
    /// The server's claims about the latency and cost of a call, and the latency measured by this kernel.
    pub estimate: CallEstimate,
    /// The units that a call costs in each quota that counts it.
    pub units: u64,
}

struct Inner {
    core: Arc<Core>,
    face: HostFace,
    /// The validators of the pipeline.
    validators: Validators,
    /// The pipeline for compensations in transactions, for as long as there is a handle to the kernel.
    _compensations: Arc<BoxPeerService>,
}

impl Kernel {
    /// Returns the builder of a kernel, without servers and with all state in memory.
    #[must_use]
    pub fn builder() -> KernelBuilder {
        KernelBuilder::default()
    }

    pub(crate) fn new(
        core: Arc<Core>,
        face: HostFace,
        validators: Validators,
        compensations: Arc<BoxPeerService>,
    ) -> Self {
        Self(Arc::new(Inner { core, face, validators, _compensations: compensations }))
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.0.core
    }

    /// Returns the service for hosts.
    #[must_use]
    pub fn face(&self) -> &HostFace {
        &self.0.face
    }

    /// Returns the current servers: those of the configuration, in its order, then registered ones.
    #[must_use]
    pub fn servers(&self) -> Arc<Vec<Arc<Server>>> {
        self.0.core.servers.all()
    }

    /// Watches changes of the servers' states, from now on (§11.2).
    #[must_use]
    pub fn state_changes(&self) -> StateChanges {
        self.0.core.servers.states.watch()
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
        self.0.core.registered.register(caller, Ok(params)).await
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
        self.0.core.registered.deregister(caller, Ok(params)).await
    }

    /// Returns the current registry entries of all servers.
    #[must_use]
    pub fn registry(&self) -> Arc<Vec<RegisteredServer>> {
        self.0.core.servers.registry.servers()
    }

    /// Returns the tools that are offered to a principal, by their names for hosts.
    #[must_use]
    pub fn tools(&self, principal: &Principal) -> Vec<NamedTool> {
        let view = self.0.core.tools.offered.view(principal);
        self.0.core.tools.load().names.iter().filter(|named| view.sees(named.tool.id())).collect()
    }

    /// Returns the service manifest of the tools that are offered to a principal, in the form of the extension proposals.
    #[must_use]
    pub fn manifest(&self, principal: &Principal) -> serde_json::Value {
        manifest::document(&self.0.core.manifest_source(), principal, None)
    }

    /// Returns the tools that are offered to a principal as an OpenAPI 3.1 document, for REST clients.
    #[must_use]
    pub fn openapi(&self, principal: &Principal) -> serde_json::Value {
        openapi::document(&self.0.core.tools, principal, &DescribeApiParams::default())
    }

    /// Returns whether the arguments of every call are checked against the schema of the call's tool, and not only on request.
    #[must_use]
    pub fn checks_arguments(&self) -> bool {
        self.0.core.tools.checks_arguments
    }

    /// Returns the tool that hosts may call by a name, regardless of access rights.
    #[must_use]
    pub fn judged_tool(&self, name: &str) -> Option<JudgedTool> {
        let tools = self.0.core.tools.load();
        let entry = tools.resolve(name)?;
        Some(JudgedTool {
            named: tools.names.named(&entry.id)?,
            definition: entry.definition.clone(),
            profile: entry.profile.clone(),
            estimate: entry.estimate(),
            units: self.0.core.quotas.cost(&entry.id, entry.profile.claimed_units),
        })
    }

    /// Returns the quota that leaves a principal the fewest units for a tool; `None` if no quota applies to the tool, or if the store cannot be
    /// read.
    pub async fn quota(&self, principal: &Principal, tool: &ToolId) -> Option<ToolQuota> {
        let tools = self.0.core.tools.load();
        let units = tools.entry(tool)?.profile.claimed_units;
        self.0.core.quotas.remaining(principal.id(), None, &[(tool.clone(), units)]).await.pop()?
    }

    /// Returns a sentence for each rate limit that counts a principal's calls of a tool.
    #[must_use]
    pub fn limits(&self, principal: &Principal, tool: &ToolId) -> Vec<String> {
        self.0.core.limits.sentences(&CallUse { agent: principal.id(), key: None, tool })
    }

    /// Returns the answer of each validator of a tool to the arguments of a principal's call, regardless of other gates.
    pub async fn validator_answers(
        &self,
        principal: &Principal,
        tool: &JudgedTool,
        arguments: &RawJson,
    ) -> Vec<ValidatorAnswer> {
        self.0.validators.answers(principal.id(), &tool.profile, arguments).await
    }

    /// Searches the tools that are offered to a principal. The result for a host also depends on the host's request and on the
    /// budget of its session.
    ///
    /// # Errors
    /// [`IndexError::Engine`].
    pub fn search(&self, principal: &Principal, search: &Search) -> Result<SearchResult, IndexError> {
        let view = self.0.core.tools.offered.view(principal);
        self.0.core.tools.names.index().search(search, &*view)
    }

    /// Returns the tools that wait for an undecided permission, by server and by missing permissions. These are the tools that
    /// `principal` could call otherwise, or all of them without a principal. Each of these permissions becomes an open question.
    pub async fn waiting_tools(&self, principal: Option<&Principal>) -> Vec<WaitingTools> {
        let mut waiting = Vec::new();
        let core = &self.0.core;
        for group in waiting_groups(&core.rights, &core.tools.table.load_full(), principal) {
            waiting.push(open_waiting(&core.rights.permissions, group).await);
        }
        waiting
    }

    /// Returns the tools that are hidden for a reason that no answer to an open question would change, by server and with the
    /// reason. These are the tools that `principal` could call otherwise, or all of them without a principal.
    #[must_use]
    pub fn closed_tools(&self, principal: Option<&Principal>) -> Vec<ClosedTools> {
        closed_tools(&self.0.core.rights, &self.0.core.tools.load(), principal)
    }

    /// Returns notices on servers whose offers are changed for hosts, and on unconfined servers with tools that run commands or code.
    /// Offers are changed if resources are reached at an earlier server, or if definitions break MCP's schema.
    #[must_use]
    pub fn notices(&self) -> Vec<ServerNotice> {
        self.0.core.notices()
    }

    /// Returns the tools that are shown to a principal although their definition differs from the accepted one, by their names for
    /// hosts.
    #[must_use]
    pub fn changed_tools(&self, principal: &Principal) -> Vec<String> {
        let (rights, table) = (&self.0.core.rights, self.0.core.tools.load());
        let is_changed = |named: &NamedTool| {
            let definition = table.entry(named.tool.id()).map(|entry| entry.profile.definition);
            definition.is_some_and(|definition| {
                rights.definitions.standing(named.tool.id(), definition) == DefinitionStanding::Changed
            })
        };
        self.tools(principal).into_iter().filter(is_changed).map(|named| named.name.to_string()).collect()
    }

    /// Scans the definitions of all tools, or of one server's, for parts that may be meant to mislead a model or a person. Returns the
    /// number of tools, and the suspicious ones.
    #[must_use]
    pub fn suspect_tools(&self, server_id: Option<&str>) -> (usize, Vec<SuspectTool>) {
        suspect_tools(&self.0.core.tools.load(), server_id)
    }

    /// Returns the names that a principal probably meant by an unknown name.
    #[must_use]
    pub fn meant(&self, principal: &Principal, name: &str) -> Vec<String> {
        crate::path::refusal::nearest(&self.0.core.tools, principal, name)
    }

    /// Returns statistics on the whole tool index, including tools that not everybody may see.
    #[must_use]
    pub fn index_stats(&self) -> IndexStats {
        self.0.core.tools.names.index().stats()
    }

    /// Returns a watch on the number of tools that the embedder has not read yet.
    #[must_use]
    pub fn index_waiting(&self) -> watch::Receiver<usize> {
        self.0.core.tools.names.index().waiting()
    }

    /// Returns the access control, which decides which agent may use which tool.
    #[must_use]
    pub fn access(&self) -> &AccessControl {
        &self.0.core.rights.access
    }

    /// Returns the permissions of every server, with their states.
    #[must_use]
    pub fn permissions(&self) -> &Permissions {
        &self.0.core.rights.permissions
    }

    /// Returns the questions about calls, and their answers.
    #[must_use]
    pub fn confirmations(&self) -> &Confirmations {
        &self.0.core.rights.confirmations
    }

    /// Returns the registrar, which adds and removes servers in addition to the configuration, and stores requests for
    /// servers.
    #[must_use]
    pub fn registrar(&self) -> &Registrar {
        &self.0.core.registered.registrar
    }

    /// Returns the pins of the tools' definitions.
    #[must_use]
    pub fn definitions(&self) -> &Definitions {
        &self.0.core.rights.definitions
    }

    /// Returns the audit trail, if it is kept.
    #[must_use]
    pub fn audit_log(&self) -> Option<&AuditLog> {
        self.0.core.trail.log.as_ref()
    }

    /// Records an HTTP request that was rejected before it reached a session. One event for all such requests with the same reason
    /// and caller is stored within a second. This method is meant for
    /// [`on_denial`](mgp_transport::http::server::HttpServerBuilder::on_denial).
    #[cfg(feature = "http")]
    pub fn record_denial(&self, denial: &mgp_transport::http::server::Denial) {
        self.0.core.trail.denied(denial);
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
    /// kernel [counts nothing](KernelBuilder::metrics).
    ///
    /// ```
    /// use mgp_kernel::{Kernel, METRICS_CONTENT_TYPE};
    /// use mgp_transport::http::server::TextPage;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let kernel = Kernel::builder().metrics(250).start().await?;
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
        let core = &self.0.core;
        let parts = || crate::path::metrics::ScrapedParts {
            started_at: core.facts.started_at(),
            hosts: core.hosts.clone(),
            parking: core.parking.clone(),
            tools: core.tools.clone(),
            servers: core.servers.clone(),
        };
        core.metrics.as_ref().map(|metrics| metrics.text(parts()))
    }

    /// Sets the function that counts the open TCP connections of hosts for the [metrics](Self::metrics): those with an authenticated
    /// request, and the others. Only the first call has an effect.
    #[cfg(feature = "metrics")]
    pub fn count_connections(&self, count: impl Fn() -> (usize, usize) + Send + Sync + 'static) {
        if let Some(metrics) = &self.0.core.metrics {
            metrics.count_connections(count);
        }
    }

    /// Returns the number of hosts that have completed their handshake and are still connected.
    #[must_use]
    pub fn hosts(&self) -> usize {
        self.0.core.hosts.count()
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

    /// Drains every server, ends the processes that the kernel started, and stores the remaining events of the audit trail. A server at
    /// a URL is only disconnected, because it has other clients. Hosts with `lifecycle` are notified that the kernel is draining.
    pub async fn shutdown(&self) {
        self.0.core.shut_down(None).await;
    }

    /// Shuts down like [`shutdown`](Self::shutdown), with a time limit for running calls instead of that of each server. A shutdown in
    /// progress keeps its limits.
    pub async fn shutdown_within(&self, limit: Duration) {
        self.0.core.shut_down(Some(limit)).await;
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
        self.0.core.servers.stopping.asked().await;
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.core.servers.abort();
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.core.fmt(f)
    }
}
