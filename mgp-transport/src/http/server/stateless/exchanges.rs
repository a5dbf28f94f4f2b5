//! The requests of stateless clients that are under way.

use crate::{
    connection::ConnectionError,
    seam::Peer,
    sync::{lock, wait_until},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use tokio::sync::Notify;

/// The requests of stateless clients that are under way, and how many there may be. A clone is the same.
#[derive(Debug, Clone)]
pub(in crate::http::server) struct Exchanges(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    limit: usize,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    /// None for one that has its place and is not started yet.
    peers: HashMap<u64, Option<Peer>>,
    /// They are to come to their end.
    draining: bool,
}

impl Exchanges {
    pub(in crate::http::server) fn new(limit: usize) -> Self {
        Self(Arc::new(Inner { state: Mutex::default(), limit, changed: Notify::new() }))
    }

    /// A place for one more; `None` where there is none.
    pub(super) fn enter(&self) -> Option<Underway> {
        let mut state = lock(&self.0.state);
        if state.peers.len() >= self.0.limit {
            return None;
        }
        let number = state.next;
        state.next += 1;
        state.peers.insert(number, None);
        Some(Underway { exchanges: self.clone(), number, peer: None })
    }

    pub(super) fn limit(&self) -> usize {
        self.0.limit
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

/// A request that is under way. Dropping it before its answer was sent cancels it: its client is gone.
#[derive(Debug)]
pub(super) struct Underway {
    exchanges: Exchanges,
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
