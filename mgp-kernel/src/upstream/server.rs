//! The handle to a server.

#[cfg(feature = "child")]
use super::confined;
use super::{
    Link, ListedTool, Offers, ServerSpec,
    channels::ServerChannels,
    commands::{Command, CommandSender},
    latency::Latencies,
    server_exchange::ServerExchange,
    shared::{self, SharedUse},
    stacks::{DispatchStack, ServerStacks, StackParts, WaitingStack},
    start_grants::StartGrants,
    warnings::Warnings,
    watched_resources::WatchedResources,
};
use crate::{ground::changes::Changes, rights::rights::Rights};
use arc_swap::{ArcSwap, ArcSwapOption};
use mgp_client_sdk::session::{Greeting, LastEra};
use mgp_lifecycle::{
    breaker::CircuitBreaker,
    gate::Gate,
    on_demand::Demand,
    state::{Outlook, ServerStatus, StateMachine},
};
#[cfg(feature = "child")]
use mgp_security::confine::{ConfinementMode, Profile};
use mgp_security::results::{SecretPolicy, SecretSearchLayer};
#[cfg(feature = "child")]
use mgp_types::lifecycle::ServerState;
use mgp_types::{
    lifecycle::SharedReport, mcp::conform::Mends, rpc::RawResult, tool_metadata::MeasuredLatency,
};
use parking_lot::Mutex;
use std::{
    fmt,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Semaphore, mpsc, watch},
    task::AbortHandle,
};

/// The generation number of the next server.
static GENERATIONS: AtomicU64 = AtomicU64::new(0);

/// A server behind the kernel, connected or not.
pub struct Server {
    pub(crate) spec: ServerSpec,
    pub(crate) gate: Gate,
    /// The circuit breaker of the server's calls.
    pub(super) breaker: CircuitBreaker,
    /// The connection, while there is one.
    pub(super) link: ArcSwapOption<Link>,
    /// The requests that need the server.
    pub(super) demand: Demand,
    /// True if the server has to be started only to list its tools.
    pub(super) lists_only: AtomicBool,
    /// The server's last greeting, kept while it is down, like its tools.
    greeting: ArcSwapOption<Greeting>,
    /// The server's tools, resources and prompts, kept while it is down, so that their names stay.
    pub(crate) offers: Offers,
    /// The latency of each tool.
    pub(super) latencies: Latencies,
    /// The announced changes that are not handled yet.
    pub(super) changes: Changes,
    /// The exchange of messages between hosts and the server.
    pub(crate) exchange: Arc<dyn ServerExchange>,
    /// True if the server requested the roots of hosts when no host could answer.
    pub(crate) lacks_roots: AtomicBool,
    /// The rights with which requests that waited are judged again.
    pub(crate) rights: Arc<Rights>,
    /// The approvals at the start of its process.
    pub(crate) start_grants: StartGrants,
    /// The sharing of its process by several kernels.
    pub(crate) shared: SharedUse,
    /// The server's last known era, so that it is probed only once.
    pub(super) era: LastEra,
    /// The resources that hosts watch.
    watched: ArcSwap<WatchedResources>,
    /// The channels of the server's events.
    pub(crate) channels: ServerChannels,
    /// The task that announces the server's open questions.
    announcing: Mutex<Option<AbortHandle>>,
    /// The rate limits of warnings that the server can cause.
    pub(crate) warnings: Warnings,
    /// True once the first attempt to connect has ended, successful or not.
    tried: AtomicBool,
    /// True if a kept listing was loaded, so that the server's tools are known before it has started.
    recalled: AtomicBool,
    /// True if the server was added at runtime, so that no host's list waits for it.
    late: AtomicBool,
    /// True once another server has replaced this one.
    replaced: watch::Sender<bool>,
    /// A number that distinguishes the server from every other one, even with the same id. A successor at the same command or URL keeps
    /// it.
    generation: AtomicU64,
    /// The number of attempts to connect.
    starts: AtomicU64,
    /// The sender of commands to its supervisor.
    pub(crate) commands: CommandSender,
    /// The search for secrets in the server's results.
    pub(crate) results: SecretSearchLayer,
    /// The services through which requests reach the server.
    stacks: ServerStacks,
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
        shared::settle(&mut spec, is_receiver);
        let gate = Gate::new(StateMachine::new(&*spec.id));
        let breaker = CircuitBreaker::new(&*spec.id, spec.breaker);
        let results = SecretSearchLayer::new(&spec.id, spec.secrets, rights.trail.sink.clone());
        let demand = Demand::default();
        let server = Arc::new_cyclic(|this| {
            let parts = StackParts {
                gate: &gate,
                breaker: &breaker,
                demand: &demand,
                results: &results,
                trail: &rights.trail,
                all: &calls,
                start_wait,
            };
            let exchange = new_exchange(this.clone());
            let stacks = ServerStacks::new(&spec, &parts, &exchange);
            Self {
                gate,
                breaker,
                stacks,
                link: ArcSwapOption::empty(),
                demand,
                lists_only: AtomicBool::new(false),
                greeting: ArcSwapOption::empty(),
                offers: Offers::default(),
                latencies: Latencies::default(),
                changes: Changes::default(),
                exchange,
                lacks_roots: AtomicBool::new(false),
                rights,
                start_grants: StartGrants::default(),
                shared: SharedUse::default(),
                era: LastEra::default(),
                watched: ArcSwap::default(),
                channels: ServerChannels::default(),
                announcing: Mutex::default(),
                warnings: Warnings::new(&spec.id),
                tried: AtomicBool::new(false),
                recalled: AtomicBool::new(false),
                late: AtomicBool::new(false),
                replaced: watch::Sender::default(),
                generation: AtomicU64::new(GENERATIONS.fetch_add(1, Ordering::Relaxed)),
                starts: AtomicU64::new(0),
                commands,
                results,
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
        self.gate.machine().status()
    }

    /// Returns a receiver of the server's current and later statuses. A status that is replaced before it is read is skipped.
    #[must_use]
    pub fn watch_status(&self) -> watch::Receiver<ServerStatus> {
        self.gate.machine().watch()
    }

    /// Returns the sharing of the server's process by several kernels; `None` while the server is not connected, and for a process that only
    /// serves this kernel.
    #[must_use]
    pub fn shared(&self) -> Option<SharedReport> {
        self.link().and_then(|_| self.shared.report())
    }

    /// Returns the number of calls in progress at the server.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.gate.in_flight()
    }

    /// Returns the number of calls that wait for a turn at the server.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.stacks.queue.len()
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

    /// Returns a valid form of an answer to a request. Logs a warning if the answer was changed.
    pub(crate) fn note_mends(&self, method: &str, (answer, mends): (RawResult, Option<Mends>)) -> RawResult {
        if let Some(mends) = &mends {
            self.warnings.mended_answer(method, mends);
        }
        answer
    }

    /// Returns the latency of each measured tool.
    #[must_use]
    pub fn latencies(&self) -> Vec<(Arc<str>, MeasuredLatency)> {
        self.latencies.all()
    }

    /// Returns the number of restarts of the server.
    #[must_use]
    pub fn restarts(&self) -> u64 {
        self.starts().saturating_sub(1)
    }

    /// Returns the number of attempts to connect.
    pub(crate) fn starts(&self) -> u64 {
        self.starts.load(Ordering::Relaxed)
    }

    /// Counts an attempt to connect.
    pub(super) fn note_start(&self) {
        self.starts.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the stack from the limits inward.
    pub(crate) fn dispatch(&self) -> DispatchStack {
        self.stacks.dispatch.clone()
    }

    /// Returns the stack past the limits of calls.
    pub(crate) fn waiting(&self) -> WaitingStack {
        self.stacks.waiting.clone()
    }

    pub(crate) fn link(&self) -> Option<Arc<Link>> {
        self.link.load_full()
    }

    /// Returns the server's greeting in its last handshake.
    pub(crate) fn greeting(&self) -> Option<Arc<Greeting>> {
        self.greeting.load_full()
    }

    /// Returns the server's greeting, while it is connected, starts on demand, or is starting with a kept listing.
    pub(crate) fn current_greeting(&self) -> Option<Arc<Greeting>> {
        self.greeting().filter(|_| self.link().is_some() || self.is_on_demand() || self.is_recalled())
    }

    pub(super) fn set_greeting(&self, greeting: Greeting) {
        self.greeting.store(Some(Arc::new(greeting)));
    }

    /// Marks the server to be started only to list its tools, unless a request needs it meanwhile.
    pub(crate) fn lists_only(&self) {
        self.lists_only.store(true, Ordering::Release);
    }

    pub(crate) fn tools(&self) -> Arc<[ListedTool]> {
        self.offers.tools()
    }

    pub(super) fn set_tools(&self, tools: Arc<[ListedTool]>) {
        self.latencies.keep_only(tools.iter().map(|listed| &*listed.tool.name));
        self.offers.set_tools(tools);
    }

    /// Replaces the task that announces the server's open questions.
    pub(crate) fn announces(&self, task: AbortHandle) {
        let mut announcing = self.announcing.lock();
        if let Some(before) = announcing.replace(task) {
            before.abort();
        }
    }

    /// Aborts the task that announces the server's open questions.
    pub(crate) fn announces_nothing(&self) {
        if let Some(before) = self.announcing.lock().take() {
            before.abort();
        }
    }

    /// Returns whether the first attempt to connect is still in progress.
    pub(crate) fn is_starting(&self) -> bool {
        !self.tried.load(Ordering::Acquire)
    }

    /// Returns whether the server's lists come from a kept listing, because its first attempt to connect is still in progress.
    pub(crate) fn is_recalled(&self) -> bool {
        self.is_starting() && self.recalled.load(Ordering::Acquire)
    }

    /// Notes that a kept listing was loaded.
    pub(super) fn mark_recalled(&self) {
        self.recalled.store(true, Ordering::Release);
    }

    /// Returns whether the server's lists are unknown, because its first attempt to connect is still in progress.
    pub(crate) fn is_unlisted(&self) -> bool {
        self.is_starting() && !self.is_recalled()
    }

    /// Returns the resources that hosts watch.
    pub(crate) fn watched(&self) -> Arc<WatchedResources> {
        self.watched.load_full()
    }

    /// Returns the number that distinguishes the server from every other one, even with the same id.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Takes over the subscriptions of hosts from a replaced server, and marks that server as replaced. At the same command or URL, the
    /// sessions of hosts continue.
    pub(crate) fn succeeds(&self, before: &Self) {
        if self.has_endpoint_of(before) {
            self.generation.store(before.generation(), Ordering::Release);
        }
        self.watched.store(before.watched());
        before.replaced.send_replace(true);
    }

    /// Returns whether another server has replaced this one.
    pub(crate) fn is_replaced(&self) -> bool {
        *self.replaced.borrow()
    }

    /// Waits until another server has replaced this one.
    pub(crate) async fn replaced(&self) {
        // The sender lives as long as the server.
        let _ = self.replaced.subscribe().wait_for(|replaced| *replaced).await;
    }

    /// Returns the outlook of the server at its end.
    pub(super) fn last_outlook(&self) -> Outlook {
        if self.is_replaced() { Outlook::Replaced } else { Outlook::Final }
    }

    /// Returns whether the server was added at runtime.
    pub(crate) fn is_late(&self) -> bool {
        self.late.load(Ordering::Acquire)
    }

    /// Notes that the server was added at runtime.
    pub(crate) fn comes_late(&self) {
        self.late.store(true, Ordering::Release);
    }

    /// Notes that an attempt to connect has ended. The following change of state wakes the waiting tasks.
    pub(super) fn tried(&self) {
        self.tried.store(true, Ordering::Release);
    }

    /// Waits until the first attempt to connect has ended.
    pub(crate) async fn first_start(&self) {
        let mut status = self.gate.machine().watch();
        // The sender lives as long as the server.
        let _ = status.wait_for(|_| !self.is_starting()).await;
    }

    /// Waits until the server's lists are known, or its first attempt to connect has ended.
    pub(crate) async fn first_list(&self) {
        let mut status = self.gate.machine().watch();
        // The sender lives as long as the server.
        let _ = status.wait_for(|_| !self.is_unlisted()).await;
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
        let is_confined =
            self.spec.confinement.mode_for(self.spec.trust) != ConfinementMode::Off && !self.is_starting();
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

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("id", &self.spec.id)
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}
