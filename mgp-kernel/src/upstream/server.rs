//! The handle to a server.

#[cfg(feature = "child")]
use super::confined;
use super::{
    Enforcement, Link, ListedTool, Offers, ServerSpec,
    channels::ServerChannels,
    commands::{Command, CommandSender},
    connection::ConnectionState,
    latency::Latencies,
    request_path::{DispatchStack, RequestPath, WaitingStack},
    server_exchange::ServerExchange,
    start_grants::StartGrants,
    succession::Succession,
    warnings::Warnings,
    watched_resources::WatchedResources,
};
use crate::rights::rights::Rights;
use arc_swap::ArcSwap;
use mgp_client_sdk::session::Greeting;
use mgp_lifecycle::{
    restart::Exit,
    state::{Outlook, ServerStatus},
};
#[cfg(feature = "child")]
use mgp_security::confine::{ConfinementMode, Profile};
use mgp_security::results::SecretPolicy;
use mgp_transport::seam::Incoming;
use mgp_types::{
    context::TrustLevel,
    error::ErrorCode,
    lifecycle::{RestartPolicy, ServerState, ShutdownReason},
    rpc::ErrorObject,
    tool_metadata::MeasuredLatency,
};
use parking_lot::Mutex;
use std::{
    fmt,
    sync::{Arc, Weak, atomic::AtomicBool},
    time::Duration,
};
use tokio::{
    sync::{Semaphore, mpsc, watch},
    task::AbortHandle,
};
use tower_service::Service;

/// A server behind the kernel, connected or not.
pub struct Server {
    pub(crate) spec: ServerSpec,
    /// The path of requests to the server, with its gate.
    pub(crate) path: RequestPath,
    pub(crate) connection: ConnectionState,
    /// The server's tools, resources and prompts, kept while it is down, so that their names stay.
    pub(crate) offers: Offers,
    /// The latency of each tool.
    pub(super) latencies: Latencies,
    /// The exchange of messages between hosts and the server.
    pub(crate) exchange: Arc<dyn ServerExchange>,
    /// True if the server requested the roots of hosts when no host could answer.
    pub(crate) lacks_roots: AtomicBool,
    /// The rights with which requests that waited are judged again.
    pub(crate) rights: Arc<Rights>,
    /// The approvals at the start of its process.
    pub(crate) start_grants: StartGrants,
    /// The resources that hosts watch.
    watched: ArcSwap<WatchedResources>,
    /// The channels of the server's events.
    pub(crate) channels: ServerChannels,
    /// The task that announces the server's open questions.
    announcing: Mutex<Option<AbortHandle>>,
    /// The warnings that the server can cause.
    pub(crate) warnings: Warnings,
    pub(crate) succession: Succession,
    /// The sender of commands to its supervisor.
    pub(crate) commands: CommandSender,
}

/// The parts that every server of one kernel holds.
#[derive(Clone)]
pub(crate) struct SharedParts {
    /// The limit on concurrent calls, over all servers.
    pub(crate) calls: Arc<Semaphore>,
    /// The rights with which requests that waited are judged again.
    pub(crate) rights: Arc<Rights>,
    /// Creates the exchange of a new server.
    pub(crate) new_exchange: Arc<dyn Fn(Weak<Server>) -> Arc<dyn ServerExchange> + Send + Sync>,
}

impl Server {
    /// Creates a server, with the receiver of its commands. `start_wait` is the time limit of a request's wait for a server that is
    /// away.
    pub(super) fn new(
        spec: ServerSpec,
        start_wait: Duration,
        parts: &SharedParts,
    ) -> (Arc<Self>, mpsc::Receiver<Command>) {
        let SharedParts { calls, rights, new_exchange } = parts.clone();
        let (commands, received) = CommandSender::new();
        let mut spec = spec;
        let is_receiver = rights.trail.receiver.as_deref() == Some(&*spec.id);
        if is_receiver {
            // Events are only forwarded while it runs, and nothing else would start it.
            (spec.lazy, spec.idle_timeout) = (false, None);
        }
        let server = Arc::new_cyclic(|this| {
            let exchange = new_exchange(this.clone());
            Self {
                path: RequestPath::new(&spec, &rights.trail, calls, start_wait, &exchange),
                connection: ConnectionState::default(),
                offers: Offers::default(),
                latencies: Latencies::default(),
                exchange,
                lacks_roots: AtomicBool::new(false),
                rights,
                start_grants: StartGrants::default(),
                watched: ArcSwap::default(),
                channels: ServerChannels::default(),
                announcing: Mutex::default(),
                warnings: Warnings::new(&spec.id),
                succession: Succession::new(),
                commands,
                spec,
            }
        });
        (server, received)
    }

    /// Returns the server's id in grants, calls and the audit trail.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.spec.id
    }

    /// Returns the handling of secrets in the server's results.
    #[must_use]
    pub fn secrets(&self) -> SecretPolicy {
        self.spec.secrets
    }

    /// Returns the state of the server, and the reason for it.
    #[must_use]
    pub fn status(&self) -> ServerStatus {
        self.path.gate.machine().status()
    }

    /// Returns a receiver of the server's current and later statuses. A status that is replaced before it is read is skipped.
    #[must_use]
    pub fn watch_status(&self) -> watch::Receiver<ServerStatus> {
        self.path.gate.machine().watch()
    }

    /// Returns the number of calls in progress at the server.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.path.gate.in_flight()
    }

    /// Returns the number of calls that wait for a turn at the server.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.path.queue.len()
    }

    /// Returns the latency of a tool's calls; `None` if none was measured.
    #[must_use]
    pub fn latency(&self, tool_name: &str) -> Option<MeasuredLatency> {
        self.latencies.of(tool_name)
    }

    /// Notes the duration of a tool's call.
    pub(crate) fn note_latency(&self, tool_name: &Arc<str>, duration: Duration) {
        self.latencies.count(tool_name, duration);
    }

    /// Returns the latency of each measured tool.
    #[must_use]
    pub fn latencies(&self) -> Vec<(Arc<str>, MeasuredLatency)> {
        self.latencies.all()
    }

    /// Returns the number of restarts of the server.
    #[must_use]
    pub fn restarts(&self) -> u64 {
        self.connection.starts().saturating_sub(1)
    }

    /// Sends a request through the stack from the limits inward, which is always ready: requests wait for their turn inside.
    pub(crate) fn dispatch(&self, message: Incoming) -> <DispatchStack as Service<Incoming>>::Future {
        self.path.dispatch.lock().call(message)
    }

    /// Returns the stack past the limits of calls.
    pub(crate) fn waiting(&self) -> WaitingStack {
        self.path.waiting.clone()
    }

    pub(crate) fn link(&self) -> Option<Arc<Link>> {
        self.connection.link()
    }

    /// Returns the connection for a request that the gate has admitted. If the connection has ended since, waits until the server's state shows
    /// it, because a retry before that would be sent in vain.
    ///
    /// # Errors
    /// Those of the gate.
    pub(crate) async fn link_within(&self, limit: Duration) -> Result<Arc<Link>, ErrorObject> {
        if let Some(link) = self.link() {
            return Ok(link);
        }
        let mut status = self.watch_status();
        let is_shown =
            |status: &ServerStatus| status.state != ServerState::Connected || self.link().is_some();
        drop(Box::pin(tokio::time::timeout(limit, status.wait_for(is_shown))).await);
        self.path.gate.check().map_err(|refusal| refusal.to_error())?;
        self.link().ok_or_else(|| ErrorCode::ServerNotReady.error("the server is not connected"))
    }

    /// Returns whether the server negotiated MGP; `None` while it is not connected.
    pub(crate) fn speaks_mgp(&self) -> Option<bool> {
        self.connection.speaks_mgp()
    }

    /// Returns the server's greeting in its last handshake.
    pub(crate) fn greeting(&self) -> Option<Arc<Greeting>> {
        self.connection.greeting()
    }

    /// Returns the server's greeting, while it is connected, starts on demand, or is starting with a kept listing.
    pub(crate) fn current_greeting(&self) -> Option<Arc<Greeting>> {
        self.greeting()
            .filter(|_| self.link().is_some() || self.is_on_demand() || self.connection.is_recalled())
    }

    pub(crate) fn tools(&self) -> Arc<[ListedTool]> {
        self.offers.tools()
    }

    pub(super) fn set_tools(&self, tools: Arc<[ListedTool]>) {
        self.latencies.keep_only(tools.iter().map(ListedTool::name));
        self.offers.set_tools(tools);
    }

    /// Replaces the task that announces the server's open questions.
    pub(crate) fn set_announcing(&self, task: AbortHandle) {
        let mut announcing = self.announcing.lock();
        if let Some(before) = announcing.replace(task) {
            before.abort();
        }
    }

    /// Aborts the task that announces the server's open questions.
    pub(crate) fn stop_announcing(&self) {
        if let Some(before) = self.announcing.lock().take() {
            before.abort();
        }
    }

    /// Returns the resources that hosts watch.
    pub(crate) fn watched(&self) -> Arc<WatchedResources> {
        self.watched.load_full()
    }

    /// Takes over the subscriptions of hosts from a replaced server, and marks that server as replaced. At the same command or URL, the
    /// sessions of hosts continue.
    pub(crate) fn succeeds(&self, before: &Self) {
        self.watched.store(before.watched());
        self.succession
            .replace(&before.succession, self.spec.endpoint.digest() == before.spec.endpoint.digest());
    }

    /// Returns whether the server waits for a request after an exit.
    pub(super) fn sleeps_after(&self, exit: &Exit) -> bool {
        match exit {
            Exit::Requested(ShutdownReason::IdleTimeout) => true,
            // The server has done its work, and the next request may need it again.
            Exit::Clean => self.spec.lazy || self.spec.restart.restart_policy == RestartPolicy::OnFailure,
            _ => false,
        }
    }

    /// Returns whether events are constantly forwarded to the server, so that it must not end.
    pub(super) fn is_audit_server(&self) -> bool {
        self.rights.trail.receiver.as_deref() == Some(self.id())
    }

    /// Returns whether the server is not running, and the next request that needs it starts it.
    #[must_use]
    pub fn is_on_demand(&self) -> bool {
        self.status().outlook == Outlook::OnDemand
    }

    /// Tries at once to start the server, if it is away and has listed nothing yet.
    pub(crate) fn try_if_unlisted(&self) {
        if self.greeting().is_none() && matches!(self.status().outlook, Outlook::StartBy(_)) {
            drop(self.path.demand.enter());
        }
    }

    /// Returns whether a call would be sent to the server now, would start it, or would wait for its first start.
    pub(crate) fn takes_calls(&self) -> bool {
        let is_up = || self.link().is_some() && self.path.gate.check().is_ok();
        self.path.breaker.check().is_ok() && (self.is_on_demand() || self.connection.is_recalled() || is_up())
    }

    /// Starts a server that waits for a request, and waits until it is up or has failed. Any other server is only waited for while it is
    /// starting. Returns whether the server is connected then.
    pub async fn wake(&self) -> bool {
        if self.is_on_demand() {
            self.commands.send(Command::Start).await;
        }
        let waits = |status: &ServerStatus| status.outlook == Outlook::OnDemand || comes_up(status);
        let mut status = self.watch_status();
        let settled = status.wait_for(|status| !waits(status)).await;
        // The sender lives as long as the server.
        settled.is_ok_and(|status| status.state == ServerState::Connected)
    }

    /// Returns whether the server is being started.
    #[must_use]
    pub fn is_coming_up(&self) -> bool {
        comes_up(&self.status())
    }

    /// Returns whether this kernel has started the server, and so may ask it to end.
    pub(super) fn has_own_process(&self) -> bool {
        self.spec.endpoint.is_own()
    }

    /// Returns whether a tool may run twice without harm: by the configuration, or by the tool's own statement if its server is
    /// trusted.
    pub(crate) fn may_run_twice(&self, tool_name: &str) -> bool {
        let trust = || self.link().map_or(self.spec.trust, |link| link.trust_within(self.spec.trust));
        self.spec.idempotent.iter().any(|known| known == tool_name)
            || self.says_harmless(tool_name) && trust() >= TrustLevel::Standard
    }

    /// Returns whether a tool's annotations state that it only reads, or that a second call has no further effect.
    fn says_harmless(&self, tool_name: &str) -> bool {
        let tools = self.tools();
        let listed = tools.iter().find(|listed| listed.name() == tool_name);
        listed
            .and_then(ListedTool::annotations)
            .is_some_and(|hints| hints.read_only_hint == Some(true) || hints.idempotent_hint == Some(true))
    }

    /// Returns the enforcement of the server's permissions; `None` if the server runs in this process, or has no endpoint.
    #[must_use]
    pub fn enforcement(&self) -> Option<Enforcement> {
        Enforcement::of(&self.spec)
    }

    /// Waits until the first attempt to connect has ended.
    pub(crate) async fn first_start(&self) {
        let mut status = self.path.gate.machine().watch();
        // The sender lives as long as the server.
        let _ = status.wait_for(|_| !self.connection.is_starting()).await;
    }

    /// Waits until the server's lists are known, or its first attempt to connect has ended.
    pub(crate) async fn first_list(&self) {
        let mut status = self.path.gate.machine().watch();
        // The sender lives as long as the server.
        let _ = status.wait_for(|_| !self.connection.is_unlisted()).await;
    }
}

#[cfg(feature = "child")]
impl Server {
    /// Returns the profile that the server's process would get if it were started now; `None` if it is not a child process.
    #[must_use]
    pub fn confinement(&self) -> Option<Profile> {
        confined::profile_now(&self.spec, &self.rights.permissions)
    }

    /// Starts a confined server at once that failed to start, or waits to be restarted, if its approvals differ from those at its last start:
    /// it may have failed because of them. A server that is running, unused or stopped by the operator is not changed.
    pub(crate) fn start_with_new_grants(&self) {
        let is_confined = self.spec.confinement.mode_for(self.spec.trust) != ConfinementMode::Off
            && !self.connection.is_starting();
        let has_failed = matches!(self.status().state, ServerState::Error | ServerState::Restarting);
        if !is_confined || !has_failed || self.rights.stopped.has(self.id()) {
            return;
        }
        if self.start_grants.are(confined::granted(&self.spec, &self.rights.permissions)) {
            return;
        }
        if let Some(place) = self.commands.reserve() {
            tracing::info!(server = self.id(), "started again, because its permissions have changed");
            place.send(Command::Start);
        }
    }
}

/// Returns whether a server of this status is being started.
fn comes_up(status: &ServerStatus) -> bool {
    let is_to_start = matches!(status.outlook, Outlook::Open | Outlook::FirstStart | Outlook::StartAt(_));
    is_to_start && matches!(status.state, ServerState::Registered | ServerState::Connecting)
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("id", &self.spec.id)
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}
