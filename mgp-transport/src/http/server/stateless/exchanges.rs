//! The requests of stateless clients that are under way.

use crate::{
    connection::ConnectionError,
    http::server::{refusal::Refusal, room::Room},
    seam::Peer,
    sync::{lock, wait_until},
};
use mgp_types::context::Principal;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use tokio::sync::Notify;

/// The requests of stateless clients that are under way. A clone is the same.
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
    /// None for one that has its place and is not started yet.
    peers: HashMap<u64, Option<Peer>>,
    /// How many each principal has.
    of_one: HashMap<Principal, usize>,
    /// They are to come to their end.
    draining: bool,
}

impl Exchanges {
    /// A place for one more of a principal.
    pub(super) fn enter(&self, principal: &Principal, room: Room) -> Result<Underway, Refusal> {
        let mut state = lock(&self.0.state);
        let of_one = state.of_one.get(principal).copied().unwrap_or_default();
        room.check("request", state.peers.len(), of_one)?;
        let number = state.next;
        state.next += 1;
        state.peers.insert(number, None);
        state.of_one.insert(principal.clone(), of_one + 1);
        Ok(Underway { exchanges: self.clone(), principal: principal.clone(), number, peer: None })
    }

    /// Ends when none is under way.
    pub(in crate::http::server) async fn idle(&self) {
        wait_until(&self.0.changed, || lock(&self.0.state).peers.is_empty()).await;
    }

    /// Says to all that are under way that they are to come to their end.
    pub(in crate::http::server) fn drain(&self) {
        // One that starts right now is told when it has.
        lock(&self.0.state).draining = true;
        for peer in self.all() {
            peer.shared.drain();
        }
    }

    /// Cancels all that are under way.
    pub(in crate::http::server) fn close(&self) {
        for peer in self.all() {
            peer.shared.close(ConnectionError::Shutdown);
        }
    }

    fn all(&self) -> Vec<Peer> {
        lock(&self.0.state).peers.values().flatten().cloned().collect()
    }
}

impl State {
    /// One of a principal is over. Nothing is kept of a principal that has none.
    fn leave(&mut self, principal: &Principal) {
        if let Some(count) = self.of_one.get_mut(principal) {
            *count -= 1;
            if *count == 0 {
                self.of_one.remove(principal);
            }
        }
    }
}

/// A request that is under way. Dropping it before its answer was sent cancels it: its client is gone.
#[derive(Debug)]
pub(super) struct Underway {
    exchanges: Exchanges,
    principal: Principal,
    number: u64,
    peer: Option<Peer>,
}

impl Underway {
    /// Notes what it is answered over.
    pub(super) fn started(&mut self, peer: Peer) {
        let draining = {
            let mut state = lock(&self.exchanges.0.state);
            state.peers.insert(self.number, Some(peer.clone()));
            state.draining
        };
        if draining {
            peer.shared.drain();
        }
        self.peer = Some(peer);
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        let none_left = {
            let mut state = lock(&self.exchanges.0.state);
            state.peers.remove(&self.number);
            state.leave(&self.principal);
            state.peers.is_empty()
        };
        if let Some(peer) = &self.peer {
            peer.shared.close(ConnectionError::Closed);
        }
        if none_left {
            self.exchanges.0.changed.notify_waiters();
        }
    }
}
