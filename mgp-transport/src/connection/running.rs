//! Requests of the other side that are admitted and not answered yet.

use crate::{
    seam::{CancelCause, CancelToken},
    sync::wait_until,
};
use mgp_types::rpc::RequestId;
use parking_lot::Mutex;
use std::collections::{BTreeMap, btree_map::Entry};
use tokio::sync::Notify;

/// Requests of the other side by id.
#[derive(Debug)]
pub(crate) struct RunningRequests {
    held: Mutex<RequestTable>,
    limit: usize,
    max_bytes: usize,
    idle: Notify,
}

#[derive(Debug, Default)]
struct RequestTable {
    requests: BTreeMap<RequestId, Admission>,
    /// The total length of the params of all requests, and of the notifications that wait, in bytes.
    bytes: usize,
    /// True once somebody waits until no request runs: the end of the last request is told then.
    is_awaited: bool,
}

#[derive(Debug)]
struct Admission {
    cancel: CancelToken,
    bytes: usize,
}

/// The reason that a request was not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdmissionError {
    /// Another request with the same id still runs.
    SameId,
    /// Too many requests run, or their params are too long together.
    TooMany,
}

impl RunningRequests {
    /// Creates an empty set with room for `limit` requests, whose params have at most `max_bytes` together.
    pub(crate) fn new(limit: usize, max_bytes: usize) -> Self {
        Self { held: Mutex::default(), limit, max_bytes, idle: Notify::new() }
    }

    /// Admits a request whose params have `bytes` bytes. `beside` is the room above the limit for requests of the lane, which the
    /// limit must not hold up; 0 for other requests.
    pub(crate) fn admit(
        &self,
        id: RequestId,
        bytes: usize,
        beside: usize,
    ) -> Result<CancelToken, AdmissionError> {
        let mut held = self.held.lock();
        let full = held.requests.len() >= self.limit + beside
            || (beside == 0 && !held.has_room(bytes, self.max_bytes));
        match held.requests.entry(id) {
            Entry::Occupied(_) => Err(AdmissionError::SameId),
            Entry::Vacant(_) if full => Err(AdmissionError::TooMany),
            Entry::Vacant(place) => {
                let cancel = CancelToken::new();
                place.insert(Admission { cancel: cancel.clone(), bytes });
                held.bytes += bytes;
                Ok(cancel)
            }
        }
    }

    pub(crate) fn remove(&self, id: &RequestId) {
        let is_told = {
            let mut held = self.held.lock();
            if let Some(Admission { bytes, .. }) = held.requests.remove(id) {
                held.bytes -= bytes;
            }
            held.is_awaited && held.requests.is_empty()
        };
        if is_told {
            self.idle.notify_waiters();
        }
    }

    /// Counts a notification that has to wait. Returns `false` if there is no room for it.
    pub(crate) fn hold(&self, bytes: usize) -> bool {
        let mut held = self.held.lock();
        let room = held.has_room(bytes, self.max_bytes);
        if room {
            held.bytes += bytes;
        }
        room
    }

    /// Forgets a notification that waited.
    pub(crate) fn release(&self, bytes: usize) {
        self.held.lock().bytes -= bytes;
    }

    /// Returns the token of the request with this id. Some peers name a request with a number as its text.
    pub(crate) fn token(&self, id: &RequestId) -> Option<CancelToken> {
        let held = self.held.lock();
        let admission = held.requests.get(id).or_else(|| held.requests.get(&RequestId::from(id.number()?)));
        admission.map(|admission| admission.cancel.clone())
    }

    pub(crate) fn count(&self) -> usize {
        self.held.lock().requests.len()
    }

    /// Waits until no request runs.
    pub(crate) async fn idle(&self) {
        self.held.lock().is_awaited = true;
        wait_until(&self.idle, || self.count() == 0).await;
    }

    pub(crate) fn cancel_all(&self, cause: CancelCause) {
        let tokens: Vec<_> =
            self.held.lock().requests.values().map(|admission| admission.cancel.clone()).collect();
        for token in tokens {
            token.cancel(cause);
        }
    }
}

impl RequestTable {
    fn has_room(&self, bytes: usize, max: usize) -> bool {
        self.bytes == 0 || self.bytes + bytes <= max
    }
}
