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
        atomic::{AtomicBool, Ordering},
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
}

impl Context {
    pub(crate) fn new(balancer: SocketAddr, replicas: Vec<SocketAddr>, seed: u64) -> Self {
        Self {
            balancer,
            replicas: replicas.into(),
            ledger: Ledger::default(),
            outcomes: Outcomes::default(),
            seed,
            stopped: Arc::default(),
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

    /// Tells the hosts to begin nothing new.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
