//! The instances of servers.

use super::observer::InstanceObserver;
use crate::{
    ServerSpec,
    ground::{
        local::{Local, is_local},
        session_number::SessionNumber,
    },
    upstream::{Server, Supervision, listings::Listings, servers::Servers},
};
use mgp_discovery::{
    config::InstanceScope,
    registry::{Registry, ServerSource},
};
use mgp_lifecycle::state::Outlook;
use mgp_server_sdk::era;
use mgp_transport::seam::{Incoming, Peer, Session};
use mgp_types::{error::ErrorCode, lifecycle::ShutdownReason, printable::quoted, rpc::ErrorObject};
use parking_lot::Mutex;
use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::task::JoinHandle;

/// The working directory of a host's process, as a value of the host's session. An instance of a server whose command has no working directory
/// is started in it.
#[derive(Debug, Clone)]
pub struct HostFolder(pub PathBuf);

/// The instances of servers. Clones share them.
#[derive(Clone)]
pub(crate) struct Instances(Arc<Inner>);

struct Inner {
    supervision: Supervision,
    running: Mutex<Vec<Instance>>,
}

/// A process of a server for one session.
struct Instance {
    session: SessionNumber,
    /// The server that lists the tools.
    server: Arc<Server>,
    instance: Arc<Server>,
}

impl Instances {
    /// Creates the instances of servers with this supervision. None is running.
    pub(crate) fn new(supervision: &Supervision) -> Self {
        let servers = Arc::new(Servers::new(Registry::new(), supervision.servers.first_start_limit));
        let supervision = Supervision {
            servers,
            listings: Listings { store: None, asleep: true },
            observer: Arc::new(InstanceObserver(supervision.observer.clone())),
            shared: supervision.shared.clone(),
        };
        Self(Arc::new(Inner { supervision, running: Mutex::default() }))
    }

    /// Returns the server that answers a request: the instance of the request's session, which is created if there is none yet, or the server
    /// itself if its process is shared, or if the request belongs to no session that outlives it.
    ///
    /// # Errors
    /// 3001 if the server has its maximum number of instances.
    pub(crate) fn of(&self, server: &Arc<Server>, message: &Incoming) -> Result<Arc<Server>, ErrorObject> {
        if server.spec.instances == InstanceScope::Shared {
            return Ok(server.clone());
        }
        let session = message.session().map(Session::of_connection).filter(|session| lasts(session));
        let (Some(session), Some(host)) = (session, message.peer()) else { return Ok(server.clone()) };
        let number = SessionNumber::of(session);
        let mut running = self.0.running.lock();
        // The gate of a server that ends refuses the request.
        if server.succession.is_replaced() || server.rights.stopped.has(server.id()) {
            return Ok(server.clone());
        }
        let of_server = |known: &&Instance| Arc::ptr_eq(&known.server, server);
        if let Some(known) = running.iter().filter(of_server).find(|known| known.session == number) {
            return Ok(known.instance.clone());
        }
        let most = server.spec.max_instances;
        if running.iter().filter(of_server).count() >= most {
            return Err(too_many(server.id(), most));
        }
        let instance = self.start(server, session)?;
        running.push(Instance { session: number, server: server.clone(), instance: instance.clone() });
        tokio::spawn(end_with(number, session.get::<Local>(), host.unbound(), Arc::downgrade(&self.0)));
        Ok(instance)
    }

    fn start(&self, server: &Arc<Server>, session: &Session) -> Result<Arc<Server>, ErrorObject> {
        let Supervision { servers, .. } = &self.0.supervision;
        let spec = ServerSpec {
            instances: InstanceScope::Shared,
            instance_of: Some(SessionNumber::of(session)),
            lazy: true,
            ..server.spec.clone()
        };
        #[cfg(feature = "child")]
        let spec = in_host_folder(spec, session);
        // All instances of a server share an entry, which nothing reads.
        let _ = servers.registry.add(spec.registered(ServerSource::Configuration(Some(spec.trust))));
        let (instance, commands) = self.0.supervision.server(spec);
        servers.put_to_sleep(&instance);
        if self.0.supervision.add(&instance, None, commands) {
            return Ok(instance);
        }
        Err(ErrorCode::ServerDraining.error_unsent("the kernel is shutting down"))
    }

    /// Returns the number of instances of a server.
    pub(crate) fn count(&self, server: &Server) -> usize {
        self.0.running.lock().iter().filter(|known| std::ptr::eq(&*known.server, server)).count()
    }

    /// Returns the number of running calls of all instances.
    pub(crate) fn in_flight(&self) -> usize {
        self.0.running.lock().iter().map(|known| known.instance.in_flight()).sum()
    }

    /// Ends the instances of a server, once their calls have ended or their time limit has passed; `None` for the server's own limit.
    pub(crate) fn end_of(&self, server: &Server, limit: Option<Duration>) {
        self.0.end(|known| std::ptr::eq(&*known.server, server), limit);
    }

    /// Ends the instances of a server that have failed for good, so that the next request of their session starts another one.
    pub(crate) fn end_failed(&self, server: &Server) {
        let has_failed = |known: &Instance| known.instance.status().outlook == Outlook::Final;
        self.0.end(|known| std::ptr::eq(&*known.server, server) && has_failed(known), None);
    }

    /// Starts no more instances, and ends those that run. Returns the tasks that end with them.
    pub(crate) fn close(&self, limit: Option<Duration>) -> Vec<JoinHandle<()>> {
        let servers = &self.0.supervision.servers;
        let supervisors = servers.close();
        for instance in servers.all().iter() {
            instance.commands.stop(ShutdownReason::KernelShutdown, limit);
        }
        supervisors
    }

    /// Aborts the tasks of all instances.
    pub(crate) fn abort(&self) {
        self.0.supervision.servers.abort();
    }
}

impl Inner {
    fn end(&self, selects: impl Fn(&Instance) -> bool, limit: Option<Duration>) {
        let servers = &self.supervision.servers;
        for Instance { instance, .. } in self.running.lock().extract_if(.., |known| selects(known)) {
            instance.commands.stop(ShutdownReason::OperatorRequest, limit);
            let (ending, of) = (instance.clone(), servers.clone());
            servers.leave(&instance, |supervisor| {
                tokio::spawn(async move {
                    // A supervisor that panicked has dropped its connection and its process.
                    let _ = supervisor.await;
                    ending.stop_announcing();
                    of.remove(&ending);
                })
            });
        }
    }
}

/// Ends the instances of a session once its connection is gone. The peer of a stateless host's request is not that of its connection.
async fn end_with(session: SessionNumber, local: Option<Local>, host: Peer, instances: Weak<Inner>) {
    match local {
        Some(Local(gone)) => {
            drop(host);
            gone.cancelled().await;
        }
        None => host.closed().await,
    }
    if let Some(instances) = instances.upgrade() {
        instances.end(|known| known.session == session, None);
    }
}

impl fmt::Debug for Instances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Instances").field(&self.0.supervision.servers).finish()
    }
}

/// Starts a command without a working directory in that of the session's host.
#[cfg(feature = "child")]
fn in_host_folder(mut spec: ServerSpec, session: &Session) -> ServerSpec {
    if let (crate::Endpoint::Child(command), Some(HostFolder(folder))) = (&mut spec.endpoint, session.get())
        && command.working_directory().is_none()
    {
        *command = command.clone().cwd(folder);
    }
    spec
}

/// Returns whether a session of a host's connection outlives a request.
fn lasts(session: &Session) -> bool {
    is_local(session) || era::has_session(session)
}

fn too_many(server_id: &str, most: usize) -> ErrorObject {
    ErrorCode::ResourceExhausted.error_unsent(format!(
        "server {} has a process for each session of a host, and {most} of them, its maximum: end another session, or raise `max_instances` of the \
         server's table `mgp`",
        quoted(server_id)
    ))
}
