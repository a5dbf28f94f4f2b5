//! Requests of the other side that were admitted and not answered yet.

use crate::{
    seam::{CancelCause, CancelToken},
    sync::{lock, wait_until},
};
use mgp_types::rpc::RequestId;
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Mutex,
};
use tokio::sync::Notify;

/// Requests of the other side by id.
#[derive(Debug)]
pub(crate) struct Running {
    held: Mutex<Held>,
    limit: usize,
    max_bytes: usize,
    idle: Notify,
}

#[derive(Debug, Default)]
struct Held {
    requests: HashMap<RequestId, Admission>,
    /// How long the params of all of them are, and of the notifications that wait.
    bytes: usize,
}

#[derive(Debug)]
struct Admission {
    cancel: CancelToken,
    bytes: usize,
}

/// Why a request was not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotAdmitted {
    /// Its id is that of a request that still runs.
    SameId,
    /// Too many run, or hold too much.
    TooMany,
}

impl Running {
    /// At most `limit` requests, whose params have at most `max_bytes` together.
    pub(crate) fn new(limit: usize, max_bytes: usize) -> Self {
        Self { held: Mutex::default(), limit, max_bytes, idle: Notify::new() }
    }

    /// Admits a request with params of so many bytes. One of the lane has room beside the limit, which it must not wait for.
    pub(crate) fn admit(
        &self,
        id: RequestId,
        bytes: usize,
        beside: usize,
    ) -> Result<CancelToken, NotAdmitted> {
        let mut held = lock(&self.held);
        let full = held.requests.len() >= self.limit + beside
            || (beside == 0 && !held.has_room(bytes, self.max_bytes));
        match held.requests.entry(id) {
            Entry::Occupied(_) => Err(NotAdmitted::SameId),
            Entry::Vacant(_) if full => Err(NotAdmitted::TooMany),
            Entry::Vacant(place) => {
                let cancel = CancelToken::new();
                place.insert(Admission { cancel: cancel.clone(), bytes });
                held.bytes += bytes;
                Ok(cancel)
            }
        }
    }

    pub(crate) fn remove(&self, id: &RequestId) {
        let idle = {
            let mut held = lock(&self.held);
            if let Some(Admission { bytes, .. }) = held.requests.remove(id) {
                held.bytes -= bytes;
            }
            held.requests.is_empty()
        };
        if idle {
            self.idle.notify_waiters();
        }
    }

    /// Takes a notification in that has to wait. Returns whether there is room.
    pub(crate) fn hold(&self, bytes: usize) -> bool {
        let mut held = lock(&self.held);
        let room = held.has_room(bytes, self.max_bytes);
        if room {
            held.bytes += bytes;
        }
        room
    }

    /// Forgets a notification that waited.
    pub(crate) fn release(&self, bytes: usize) {
        lock(&self.held).bytes -= bytes;
    }

    pub(crate) fn token(&self, id: &RequestId) -> Option<CancelToken> {
        lock(&self.held).requests.get(id).map(|admission| admission.cancel.clone())
    }

    pub(crate) fn count(&self) -> usize {
        lock(&self.held).requests.len()
    }

    /// Ends when nothing runs.
    pub(crate) async fn idle(&self) {
        wait_until(&self.idle, || self.count() == 0).await;
    }

    pub(crate) fn cancel_all(&self, cause: CancelCause) {
        let tokens: Vec<_> =
            lock(&self.held).requests.values().map(|admission| admission.cancel.clone()).collect();
        for token in tokens {
            token.cancel(cause);
        }
    }
}

impl Held {
    fn has_room(&self, bytes: usize, max: usize) -> bool {
        self.bytes == 0 || self.bytes + bytes <= max
    }
}
