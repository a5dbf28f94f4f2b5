//! The handle on a server.

use super::{
    Callers, Offers, ServerCall, ServerSpec,
    elicited::Elicited,
    envelopes::Envelopes,
    subscription::Watched,
    wait_inside::{Turn, WaitInside},
    warnings::Warnings,
};
use crate::{
    callbacks::RefusedCallbacks,
    handshake::Era,
    kernel::{changes::Changes, rights::Rights, tasks::TaskTable},
};
use arc_swap::ArcSwapOption;
use mgp_lifecycle::{
    gate::{Gate, Lifecycle, LifecycleLayer},
    state::{ServerStatus, StateMachine},
};
use mgp_security::audit::AuditSink;
use mgp_stream::cancel::{Cancel, CancelLayer};
use mgp_toolindex::names::NameConflict;
use mgp_transport::seam::{ControlPeer, Peer};
use mgp_types::{
    json::{RawJson, RawObject},
    lifecycle::ShutdownReason,
    mcp::{Implementation, LoggingLevel, ProtocolVersion, ServerCapabilities, Tool},
    negotiation::Negotiated,
    permission::GrantValue,
};
use std::{
    collections::{BTreeMap, HashSet},
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::{
    sync::{Semaphore, mpsc},
    task::AbortHandle,
};
use tower::{
    ServiceBuilder,
    limit::{ConcurrencyLimit, ConcurrencyLimitLayer, GlobalConcurrencyLimitLayer},
};

/// A server behind the kernel, up or down.
pub struct Server {
    pub(crate) spec: ServerSpec,
    pub(crate) gate: Gate,
    /// The connection, while there is one.
    pub(super) link: ArcSwapOption<Link>,
    /// What it listed last. Kept while it is down, so that names stay.
    pub(super) tools: Mutex<Arc<[ListedTool]>>,
    /// What it has beside tools.
    pub(crate) offers: Offers,
    /// What it says has changed.
    pub(super) changes: Changes,
    /// The hosts whose calls it is working on.
    pub(crate) callers: Callers,
    /// The hosts that it sent to a URL.
    pub(super) elicited: Elicited,
    /// Its callbacks, which are refused.
    pub(super) callbacks: RefusedCallbacks,
    /// The tasks of all servers.
    pub(crate) tasks: Arc<TaskTable>,
    /// Where its questions to hosts are recorded.
    pub(super) sink: Arc<dyn AuditSink>,
    /// The rights by which requests that waited are judged once more.
    pub(super) rights: Rights,
    /// The era in which it was last spoken to: it is asked once.
    era: Mutex<Option<Era>>,
    /// The resources that hosts want to hear of.
    pub(crate) watched: Watched,
    /// The task that follows its open questions.
    announcing: Mutex<Option<AbortHandle>>,
    /// The tools whose hiding was recorded, by name.
    reported: Mutex<HashSet<Arc<str>>>,
    /// The limits of warnings that it can cause.
    pub(in crate::kernel) warnings: Warnings,
    /// Whether the first attempt to connect is over, well or not.
    tried: AtomicBool,
    /// Whether it came while the kernel ran. No host's list waits for it then.
    late: AtomicBool,
    commands: mpsc::Sender<Command>,
    /// From the limits inward: the only way to its tools.
    dispatch: DispatchStack,
    /// For requests that wait by what they are, and would hold up calls.
    waiting: WaitingStack,
}

/// From the limits inward, named so that no call boxes it.
pub(crate) type DispatchStack = Cancel<WaitInside<ConcurrencyLimit<ConcurrencyLimit<Lifecycle<ServerCall>>>>>;

/// Past the limits of calls, with one of its own.
pub(crate) type WaitingStack = Cancel<WaitInside<ConcurrencyLimit<Lifecycle<ServerCall>>>>;

/// A tool as its server lists it, as text and as read.
#[derive(Debug, Clone)]
pub(crate) struct ListedTool {
    pub(crate) definition: RawJson,
    pub(crate) tool: Arc<Tool>,
    /// Whether its server negotiated MGP. From others, `security` is an unknown member.
    pub(crate) of_mgp: bool,
}

/// A connection with a server after its handshake.
pub(crate) struct Link {
    /// Runs its tools; only [`ServerCall`] uses it.
    pub(super) peer: Peer,
    /// What was negotiated; none with a plain MCP server.
    pub(crate) negotiated: Option<Negotiated>,
    /// Who it says it is.
    pub(crate) info: Implementation,
    /// The revision that is spoken.
    pub(crate) protocol_version: ProtocolVersion,
    /// What it can do.
    pub(crate) capabilities: ServerCapabilities,
    /// Its own word on how it is used, for a model.
    pub(crate) instructions: Option<Arc<str>>,
    /// What requests to it say of their hosts.
    pub(super) envelopes: Envelopes,
    /// What it was told of its permissions.
    pub(super) told: Mutex<BTreeMap<String, GrantValue>>,
    /// From which level on it was told to log.
    pub(super) log_level: Mutex<Option<LoggingLevel>>,
}

impl Link {
    /// The server for everything but its tools.
    pub(crate) fn control(&self) -> ControlPeer {
        ControlPeer::new(self.peer.clone())
    }

    /// Whether it speaks a stateless revision of MCP.
    pub(crate) fn is_stateless(&self) -> bool {
        self.protocol_version.is_stateless()
    }

    /// Whether it runs tools as tasks of revision 2025-11-25.
    pub(crate) fn runs_core_tasks(&self) -> bool {
        self.protocol_version == ProtocolVersion::V2025_11_25 && self.capabilities.runs_tools_as_tasks()
    }

    /// Whether it speaks a stateless revision, and has tasks in it.
    pub(crate) fn has_tasks_extension(&self) -> bool {
        self.is_stateless() && self.capabilities.has_tasks_extension()
    }

    /// What stands in `_meta` of what is about tasks: to a server of a stateless revision, that the kernel takes them.
    pub(crate) fn task_meta(&self) -> Option<RawObject> {
        let mut envelope = self.peer.envelope()?.clone();
        envelope.capabilities = envelope.capabilities.with_tasks();
        let mut params = RawObject::new();
        envelope.write(&mut params);
        params.object("_meta")
    }

    /// Forgets what it was told: its session is a new one.
    pub(super) fn forget_told(&self) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clear();
        *self.log_level.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Notes what it is told of its permissions; returns whether that is news.
    pub(crate) fn tells(&self, grants: &BTreeMap<String, GrantValue>) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let news = *told != *grants;
        told.clone_from(grants);
        news
    }
}

/// What a server's supervisor is asked to do.
#[derive(Debug)]
pub(crate) enum Command {
    /// Drain, and stop for this reason.
    Stop(ShutdownReason),
}

/// How many hidden tools of one server are recorded.
const MAX_REPORTED: usize = 100;

/// How many requests that wait by what they are one server gets at once.
const MOST_WAITING: usize = 1024;

/// How many commands may wait.
const COMMANDS: usize = 8;

impl Server {
    /// `all` is shared by every server of a kernel: how many calls may run at once, over all of them.
    pub(crate) fn new(
        spec: ServerSpec,
        all: Arc<Semaphore>,
        rights: Rights,
        tasks: Arc<TaskTable>,
    ) -> (Arc<Self>, mpsc::Receiver<Command>) {
        let (commands, received) = mpsc::channel(COMMANDS);
        let gate = Gate::new(StateMachine::new(&*spec.id));
        let server = Arc::new_cyclic(|this| {
            // A call that waits for its turn can be cancelled, and has a time limit; one that was sent has one of its own.
            let limited = ServiceBuilder::new()
                .layer(ConcurrencyLimitLayer::new(spec.max_concurrent.max(1)))
                .layer(GlobalConcurrencyLimitLayer::with_semaphore(all))
                .layer(LifecycleLayer::new(gate.clone()))
                .service(ServerCall::new(this.clone()));
            let turn =
                |at_once| Turn { server_id: spec.id.clone(), at_once, time_limit: spec.call_time_limit };
            let limited = WaitInside::new(limited, turn(spec.max_concurrent.max(1)));
            let dispatch = ServiceBuilder::new().layer(CancelLayer::new()).service(limited);
            let waiting = ServiceBuilder::new()
                .layer(ConcurrencyLimitLayer::new(MOST_WAITING))
                .layer(LifecycleLayer::new(gate.clone()))
                .service(ServerCall::new(this.clone()));
            let waiting = WaitInside::new(waiting, turn(MOST_WAITING));
            let waiting = ServiceBuilder::new().layer(CancelLayer::new()).service(waiting);
            Self {
                gate,
                waiting,
                link: ArcSwapOption::empty(),
                tools: Mutex::new(Arc::new([])),
                offers: Offers::default(),
                changes: Changes::default(),
                callers: Callers::default(),
                elicited: Elicited::default(),
                callbacks: RefusedCallbacks::default(),
                tasks,
                sink: rights.sink.clone(),
                rights,
                era: Mutex::default(),
                watched: Watched::default(),
                announcing: Mutex::default(),
                reported: Mutex::default(),
                warnings: Warnings::default(),
                tried: AtomicBool::new(false),
                late: AtomicBool::new(false),
                commands,
                dispatch,
                spec,
            }
        });
        (server, received)
    }

    /// The id by which grants, calls and the audit name it.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.spec.id
    }

    /// Where it stands, and why.
    #[must_use]
    pub fn status(&self) -> ServerStatus {
        self.gate.machine().status()
    }

    /// How many calls it is working on.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.gate.in_flight()
    }

    /// From the limits inward.
    pub(crate) fn dispatch(&self) -> DispatchStack {
        self.dispatch.clone()
    }

    /// Past the limits of calls.
    pub(crate) fn waiting(&self) -> WaitingStack {
        self.waiting.clone()
    }

    pub(crate) fn link(&self) -> Option<Arc<Link>> {
        self.link.load_full()
    }

    pub(crate) fn tools(&self) -> Arc<[ListedTool]> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_tools(&self, tools: Arc<[ListedTool]>) {
        *self.tools.lock().unwrap_or_else(PoisonError::into_inner) = tools;
    }

    /// The era in which it is spoken to, as far as that is known; `found` is what a handshake has just shown.
    pub(super) fn known_era(&self, found: Option<Era>) -> Option<Era> {
        let mut era = self.era.lock().unwrap_or_else(PoisonError::into_inner);
        *era = found.or(*era);
        *era
    }

    /// Forgets the era: a handshake has failed in it.
    pub(super) fn forget_era(&self) {
        self.era.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Follows its open questions by another task than before.
    pub(crate) fn announces(&self, task: AbortHandle) {
        let mut announcing = self.announcing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = announcing.replace(task) {
            before.abort();
        }
    }

    /// Follows no open questions any more.
    pub(crate) fn announces_nothing(&self) {
        if let Some(before) = self.announcing.lock().unwrap_or_else(PoisonError::into_inner).take() {
            before.abort();
        }
    }

    /// The hidden tools that were not reported before; at most [`MAX_REPORTED`] over the life of the server, because a server
    /// could go on making them up.
    pub(crate) fn newly_hidden<'a>(&self, hidden: &'a [NameConflict]) -> Vec<&'a NameConflict> {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new = Vec::new();
        for conflict in hidden {
            if reported.len() == MAX_REPORTED {
                break;
            }
            if reported.insert(conflict.tool.tool_name.clone()) {
                new.push(conflict);
            }
        }
        new
    }

    /// Whether the first attempt to connect goes on.
    pub(crate) fn is_starting(&self) -> bool {
        !self.tried.load(Ordering::Acquire)
    }

    /// Whether it came while the kernel ran.
    pub(crate) fn is_late(&self) -> bool {
        self.late.load(Ordering::Acquire)
    }

    /// Notes that it came while the kernel ran.
    pub(crate) fn comes_late(&self) {
        self.late.store(true, Ordering::Release);
    }

    /// Notes that an attempt to connect is over. The change of state that follows tells those who wait.
    pub(super) fn tried(&self) {
        self.tried.store(true, Ordering::Release);
    }

    /// Ends when the first attempt to connect is over.
    pub(crate) async fn first_start(&self) {
        let mut status = self.gate.machine().watch();
        // The sender lives as long as the server does.
        let _ = status.wait_for(|_| !self.is_starting()).await;
    }

    /// Asks its supervisor to stop it. One that is asked already needs no second word.
    pub(crate) fn stop(&self, reason: ShutdownReason) {
        let _ = self.commands.try_send(Command::Stop(reason));
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
