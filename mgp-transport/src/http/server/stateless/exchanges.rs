//! The requests of stateless clients that are in flight.

use crate::{
    connection::ConnectionError,
    http::server::{limits::Room, refusal::Refusal},
    seam::Peer,
    sync::wait_until,
};
use mgp_types::context::Principal;
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};
use tokio::sync::Notify;

/// The requests of stateless clients that are in flight. Clones share the set.
#[derive(Debug, Clone, Default)]
pub(in crate::http::server) struct Exchanges(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    /// The peers of the requests, by number; `None` for a request that has its place but has not started yet.
    peers: HashMap<u64, Option<Peer>>,
    /// The number of requests of each principal.
    of_one: HashMap<Principal, usize>,
    /// True if the requests should end soon.
    draining: bool,
}

impl Exchanges {
    /// Takes a place for one more request of a principal.
    pub(super) fn enter(&self, principal: &Principal, room: Room) -> Result<ExchangeGuard, Refusal> {
        let mut state = self.0.state.lock();
        let of_one = state.of_one.get(principal).copied().unwrap_or_default();
        room.check("request", state.peers.len(), of_one)?;
        let number = state.next;
        state.next += 1;
        state.peers.insert(number, None);
        state.of_one.insert(principal.clone(), of_one + 1);
        Ok(ExchangeGuard { exchanges: self.clone(), principal: principal.clone(), number, peer: None })
    }

    /// Waits until no request is in flight.
    pub(in crate::http::server) async fn idle(&self) {
        wait_until(&self.0.changed, || self.0.state.lock().peers.is_empty()).await;
    }

    /// Asks all requests in flight to end soon.
    pub(in crate::http::server) fn drain(&self) {
        // A request that is just starting is notified once it has started.
        self.0.state.lock().draining = true;
        for peer in self.all() {
            peer.drain();
        }
    }

    /// Cancels all requests in flight.
    pub(in crate::http::server) fn close(&self) {
        for peer in self.all() {
            peer.close();
        }
    }

    fn all(&self) -> Vec<Peer> {
        self.0.state.lock().peers.values().flatten().cloned().collect()
    }
}

impl State {
    /// Counts one request of a principal less. A principal without requests is removed.
    fn leave(&mut self, principal: &Principal) {
        if let Some(count) = self.of_one.get_mut(principal) {
            *count -= 1;
            if *count == 0 {
                self.of_one.remove(principal);
            }
        }
    }
}

/// A request that is in flight. Dropping this guard before the answer was sent cancels the request: its client is gone.
#[derive(Debug)]
pub(in crate::http::server) struct ExchangeGuard {
    exchanges: Exchanges,
    principal: Principal,
    number: u64,
    peer: Option<Peer>,
}

impl ExchangeGuard {
    /// Records the peer over which the request is answered.
    pub(super) fn started(&mut self, peer: Peer) {
        let draining = {
            let mut state = self.exchanges.0.state.lock();
            state.peers.insert(self.number, Some(peer.clone()));
            state.draining
        };
        if draining {
            peer.drain();
        }
        self.peer = Some(peer);
    }
}

impl Drop for ExchangeGuard {
    fn drop(&mut self) {
        let none_left = {
            let mut state = self.exchanges.0.state.lock();
            state.peers.remove(&self.number);
            state.leave(&self.principal);
            state.peers.is_empty()
        };
        if let Some(peer) = &self.peer {
            peer.connection().close(ConnectionError::Closed);
        }
        if none_left {
            self.exchanges.0.changed.notify_waiters();
        }
    }
}
