//! The state that all hosts of a run share.

use super::Outcomes;
use crate::{
    hosts::{Host, SharedState},
    ledger::Ledger,
    replicas::machines::Role,
    servers::Servers,
    wire::Endpoint,
};
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// The state that all hosts of a run share. Clones share the state.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// The address of the balancer.
    pub(crate) balancer: SocketAddr,
    /// The addresses of the replicas.
    pub(crate) replicas: Arc<[SocketAddr]>,
    pub(crate) ledger: Ledger,
    pub(crate) outcomes: Outcomes,
    pub(crate) seed: u64,
    stopped: Arc<AtomicBool>,
    /// The number of the replica that cannot reach the database; none if it is the number of replicas.
    cut_off: Arc<AtomicUsize>,
}

impl Context {
    pub(crate) fn new(balancer: SocketAddr, replicas: Vec<SocketAddr>, seed: u64) -> Self {
        let none = replicas.len();
        Self {
            balancer,
            replicas: replicas.into(),
            ledger: Ledger::default(),
            outcomes: Outcomes::default(),
            seed,
            stopped: Arc::default(),
            cut_off: Arc::new(AtomicUsize::new(none)),
        }
    }

    /// Returns a host that connects to an address. Its number gives its era and its random numbers.
    pub(crate) fn host(&self, role: Role, address: SocketAddr, number: usize) -> Host {
        let shared = SharedState {
            endpoint: Endpoint { address, key: Some(role.key().into()) },
            ledger: self.ledger.clone(),
            servers: Servers { steady: 1 },
            seed: self.seed,
            until: Instant::now(),
            idle_timeout: Duration::ZERO,
        };
        Host::new(&shared, number)
    }

    /// Notes which replica cannot reach the database.
    pub(crate) fn set_cut_off(&self, replica: Option<usize>) {
        self.cut_off.store(replica.unwrap_or(self.replicas.len()), Ordering::Relaxed);
    }

    pub(crate) fn is_cut_off(&self, replica: usize) -> bool {
        self.cut_off.load(Ordering::Relaxed) == replica
    }

    /// Has the hosts begin nothing new.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
