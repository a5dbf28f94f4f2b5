//! The servers behind the kernel, and their supervisors.

use super::{Server, states::States, stop_progress::StopProgress};
use arc_swap::{ArcSwap, Guard};
use mgp_discovery::{registration::Registration, registry::Registry};
use mgp_lifecycle::state::{Outlook, Transition};
use mgp_types::lifecycle::{HealthStatus, ServerState};
use parking_lot::Mutex;
use std::{fmt, sync::Arc, time::Duration};
use tokio::{
    task::{AbortHandle, JoinHandle},
    time::{Instant, timeout, timeout_at},
};

/// The servers: those of the configuration, in its order; then registered ones, oldest first. Readers take no lock.
pub(crate) struct Servers {
    all: ArcSwap<Vec<Arc<Server>>>,
    running: Mutex<RunningServers>,
    pub(crate) registry: Registry,
    /// The broadcast of changes of servers' states.
    pub(crate) states: States,
    pub(crate) stopping: StopProgress,
    /// The maximum time that a host waits for servers that start for the first time.
    pub(crate) first_start_limit: Duration,
    /// The time from which the wait of hosts for the first lists is counted.
    started: Instant,
}

#[derive(Default)]
struct RunningServers {
    servers: Vec<SupervisedServer>,
    /// True if the kernel is stopping, so that nothing is started any more.
    closed: bool,
}

/// A server, and the task that keeps it running.
struct SupervisedServer {
    server: Arc<Server>,
    /// The registration of the server; `None` for a server of the configuration.
    registration: Option<Arc<Registration>>,
    /// The task that ends with the server: its supervisor or, once the server is leaving, the task that waits for the supervisor.
    task: Option<JoinHandle<()>>,
    aborts: Vec<AbortHandle>,
    leaving: bool,
}

impl Servers {
    pub(crate) fn new(registry: Registry, first_start_limit: Duration) -> Self {
        Self {
            all: ArcSwap::default(),
            running: Mutex::default(),
            registry,
            states: States::default(),
            stopping: StopProgress::default(),
            first_start_limit,
            started: Instant::now(),
        }
    }

    /// Returns the current servers.
    pub(crate) fn all(&self) -> Arc<Vec<Arc<Server>>> {
        self.all.load_full()
    }

    /// Returns the current servers, for short use.
    pub(crate) fn load(&self) -> Guard<Arc<Vec<Arc<Server>>>> {
        self.all.load()
    }

    /// Adds a server after the others. `start` starts its supervisor. Returns whether the kernel still accepts
    /// servers.
    pub(crate) fn add(
        &self,
        server: Arc<Server>,
        registration: Option<Arc<Registration>>,
        start: impl FnOnce() -> JoinHandle<()>,
    ) -> bool {
        let mut running = self.running.lock();
        if running.closed {
            return false;
        }
        let task = start();
        let aborts = vec![task.abort_handle()];
        running.servers.push(SupervisedServer {
            server,
            registration,
            task: Some(task),
            aborts,
            leaving: false,
        });
        self.publish(&running);
        true
    }

    /// Returns whether a server has this id. A server that is leaving keeps its id until it is gone.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.load().iter().any(|server| server.id() == id)
    }

    /// Returns the number of servers that do not belong to one session of a host.
    pub(crate) fn lasting(&self) -> usize {
        self.load().iter().filter(|server| server.spec.session.is_none()).count()
    }

    /// Returns the servers whose registrations are not in `wanted`, unless they are already leaving.
    pub(crate) fn registered_but_not_in(&self, wanted: &[Arc<Registration>]) -> Vec<Arc<Server>> {
        let gone = |kept: &&SupervisedServer| {
            let registration = kept.registration.as_ref();
            !kept.leaving
                && registration.is_some_and(|known| !wanted.iter().any(|wanted| Arc::ptr_eq(wanted, known)))
        };
        self.running.lock().servers.iter().filter(gone).map(|kept| kept.server.clone()).collect()
    }

    /// Returns the servers that are not leaving: those of the configuration, and those of the `wanted` registrations.
    pub(crate) fn staying(&self, wanted: &[Arc<Registration>]) -> Vec<Arc<Server>> {
        let stays = |kept: &&SupervisedServer| {
            let registration = kept.registration.as_ref();
            let is_wanted = |known| wanted.iter().any(|wanted| Arc::ptr_eq(wanted, known));
            !kept.leaving && registration.is_none_or(is_wanted)
        };
        self.running.lock().servers.iter().filter(stays).map(|kept| kept.server.clone()).collect()
    }

    /// Returns the server of exactly this registration.
    pub(crate) fn serving(&self, registration: &Arc<Registration>) -> Option<Arc<Server>> {
        let same = |kept: &&SupervisedServer| {
            kept.registration.as_ref().is_some_and(|known| Arc::ptr_eq(known, registration))
        };
        self.running.lock().servers.iter().find(same).map(|kept| kept.server.clone())
    }

    /// Marks a server as leaving. `wait` gets the supervisor, and returns a task that ends when the server is gone.
    pub(crate) fn leave(&self, server: &Arc<Server>, wait: impl FnOnce(JoinHandle<()>) -> JoinHandle<()>) {
        let mut running = self.running.lock();
        let kept = running.servers.iter_mut().find(|kept| Arc::ptr_eq(&kept.server, server));
        if let Some(kept) = kept
            && let Some(supervisor) = kept.task.take()
        {
            let waiting = wait(supervisor);
            kept.aborts.push(waiting.abort_handle());
            (kept.task, kept.leaving) = (Some(waiting), true);
        }
    }

    /// Replaces a server with another. `follow` gets the old server's supervisor, and returns the task that ends with the new server.
    pub(crate) fn replace(
        &self,
        before: &Arc<Server>,
        server: Arc<Server>,
        follow: impl FnOnce(JoinHandle<()>) -> JoinHandle<()>,
    ) {
        let mut running = self.running.lock();
        // If the kernel is stopping, nothing is started any more.
        if running.closed {
            return;
        }
        let kept = running.servers.iter_mut().find(|kept| Arc::ptr_eq(&kept.server, before));
        if let Some(kept) = kept
            && let Some(supervisor) = kept.task.take()
        {
            let following = follow(supervisor);
            kept.aborts.push(following.abort_handle());
            (kept.server, kept.task) = (server, Some(following));
        }
        self.publish(&running);
    }

    /// Sorts the servers of the configuration into its order, before the others.
    pub(crate) fn arrange(&self, order: &[String]) {
        let mut running = self.running.lock();
        let place = |kept: &SupervisedServer| order.iter().position(|id| *id == kept.server.id());
        running.servers.sort_by_key(|kept| place(kept).unwrap_or(usize::MAX));
        self.publish(&running);
    }

    /// Returns whether a server is from the configuration.
    pub(crate) fn is_configured(&self, server: &Arc<Server>) -> bool {
        let is_of_session = server.spec.session.is_some();
        let running = self.running.lock();
        let mut kept = running.servers.iter().filter(|kept| Arc::ptr_eq(&kept.server, server));
        !is_of_session && kept.any(|kept| kept.registration.is_none())
    }

    /// Removes a server that has left.
    pub(crate) fn remove(&self, server: &Arc<Server>) {
        let mut running = self.running.lock();
        running.servers.retain(|kept| !Arc::ptr_eq(&kept.server, server));
        self.publish(&running);
    }

    /// Accepts no more servers, and returns the tasks that end with the existing servers.
    pub(crate) fn close(&self) -> Vec<JoinHandle<()>> {
        let mut running = self.running.lock();
        running.closed = true;
        running.servers.iter_mut().filter_map(|kept| kept.task.take()).collect()
    }

    /// Returns whether the kernel is stopping, so that nothing is started any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.running.lock().closed
    }

    /// Aborts the tasks of all servers.
    pub(crate) fn abort(&self) {
        let mut running = self.running.lock();
        running.closed = true;
        running.servers.iter().flat_map(|kept| &kept.aborts).for_each(AbortHandle::abort);
    }

    /// Moves a server to another state. The state machine refuses and logs an invalid transition.
    pub(crate) fn move_to(&self, server: &Server, state: ServerState, why: &str) {
        self.move_with(server, state, why, Outlook::Open);
    }

    /// Moves a server to another state, and sets the outlook on its return. Both become visible at once.
    pub(crate) fn move_with(&self, server: &Server, state: ServerState, why: &str, outlook: Outlook) {
        if let Ok(moved) = server.path.gate.machine().transition_with(state, why, outlook) {
            self.set_on_demand(server, outlook == Outlook::OnDemand);
            self.moved(&moved);
        }
    }

    /// Publishes whether a server is not running because nothing needs it.
    pub(crate) fn set_on_demand(&self, server: &Server, on_demand: bool) {
        if let Err(error) = self.registry.set_on_demand(server.id(), on_demand) {
            tracing::error!(%error, "a server is missing from the registry");
        }
    }

    /// Publishes the state of a server that has replaced another, which published its own until its end.
    pub(crate) fn publish_status(&self, server: &Server) {
        if let Err(error) = self.registry.set_state(server.id(), server.status().state) {
            tracing::error!(%error, "a server is missing from the registry");
        }
        self.set_on_demand(server, server.is_on_demand());
    }

    /// Publishes that a server's gate has moved the server to the draining state.
    pub(crate) fn drains(&self, server: &Server, from: ServerState, why: &str) {
        let (server_id, to) = (server.id().into(), ServerState::Draining);
        self.moved(&Transition { server_id, from, to, reason: why.into() });
    }

    /// Publishes the health that a server reports of itself.
    pub(crate) fn set_health(&self, server: &Server, health: Option<HealthStatus>) {
        tracing::info!(server = server.id(), health = health.map(HealthStatus::as_str), "server health");
        if let Err(error) = self.registry.set_health(server.id(), health) {
            tracing::error!(%error, "a server is missing from the registry");
        }
    }

    /// Publishes a server's new state to the registry and to all watchers of states.
    fn moved(&self, moved: &Transition) {
        if let Err(error) = self.registry.set_state(&moved.server_id, moved.to) {
            tracing::error!(%error, "a server is missing from the registry");
        }
        self.states.tell(moved);
    }

    /// Returns whether any initial server is still in its first attempt to connect.
    pub(crate) fn is_starting(&self) -> bool {
        self.load()
            .iter()
            .any(|server| server.connection.is_starting() && !server.succession.is_added_at_runtime())
    }

    /// Waits until the offers of every initial server are known, or `first_start_limit` has passed since the start. Most hosts request the
    /// lists once, right after the handshake, so those of servers that start in time should be included. The limit counts from the start,
    /// because a host requests several lists, one after another. Servers with a kept listing are not waited for, nor are servers of
    /// [`try_unlisted`](Self::try_unlisted).
    pub(crate) async fn first_lists(&self) {
        self.try_unlisted();
        let servers = self.all();
        if !servers
            .iter()
            .any(|server| server.connection.is_unlisted() && !server.succession.is_added_at_runtime())
        {
            return;
        }
        let listed = async {
            for server in servers.iter().filter(|server| !server.succession.is_added_at_runtime()) {
                server.first_list().await;
            }
        };
        let in_time = match self.started.checked_add(self.first_start_limit) {
            Some(end) => timeout_at(end, listed).await.is_ok(),
            None => {
                listed.await;
                true
            }
        };
        if !in_time {
            tracing::info!(limit = ?self.first_start_limit, "answered before all servers had listed what they offer");
        }
    }

    /// Waits until every server's first attempt to connect has ended, or the time limit passes. Servers of
    /// [`try_unlisted`](Self::try_unlisted) are not waited for.
    pub(crate) async fn first_starts(&self) {
        self.try_unlisted();
        let started = async {
            for server in self.all().iter().filter(|server| !server.succession.is_added_at_runtime()) {
                server.first_start().await;
            }
        };
        if self.is_starting() && timeout(self.first_start_limit, started).await.is_err() {
            tracing::warn!(limit = ?self.first_start_limit, "answered before all servers had started");
        }
    }

    /// Starts at once the servers that are away and have listed nothing yet: a request cannot name their offers, and may need them.
    pub(crate) fn try_unlisted(&self) {
        for server in self.load().iter() {
            server.try_if_unlisted();
        }
    }

    fn publish(&self, running: &RunningServers) {
        self.all.store(Arc::new(running.servers.iter().map(|kept| kept.server.clone()).collect()));
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.load().iter()).finish()
    }
}
