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
    requests: Mutex<HashMap<RequestId, CancelToken>>,
    limit: usize,
    idle: Notify,
}

/// Why a request was not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotAdmitted {
    /// Its id is that of a request that still runs.
    SameId,
    /// Too many run.
    TooMany,
}

impl Running {
    pub(crate) fn new(limit: usize) -> Self {
        Self { requests: Mutex::default(), limit, idle: Notify::new() }
    }

    /// Admits a request. One of the lane has room beside the limit, which it must not wait for.
    pub(crate) fn admit(&self, id: RequestId, beside: usize) -> Result<CancelToken, NotAdmitted> {
        let mut requests = lock(&self.requests);
        let full = requests.len() >= self.limit + beside;
        match requests.entry(id) {
            Entry::Occupied(_) => Err(NotAdmitted::SameId),
            Entry::Vacant(_) if full => Err(NotAdmitted::TooMany),
            Entry::Vacant(place) => Ok(place.insert(CancelToken::new()).clone()),
        }
    }

    pub(crate) fn remove(&self, id: &RequestId) {
        let idle = {
            let mut requests = lock(&self.requests);
            requests.remove(id);
            requests.is_empty()
        };
        if idle {
            self.idle.notify_waiters();
        }
    }

    pub(crate) fn token(&self, id: &RequestId) -> Option<CancelToken> {
        lock(&self.requests).get(id).cloned()
    }

    pub(crate) fn count(&self) -> usize {
        lock(&self.requests).len()
    }

    /// Ends when nothing runs.
    pub(crate) async fn idle(&self) {
        wait_until(&self.idle, || self.count() == 0).await;
    }

    pub(crate) fn cancel_all(&self, cause: CancelCause) {
        let tokens: Vec<_> = lock(&self.requests).values().cloned().collect();
        for token in tokens {
            token.cancel(cause);
        }
    }
}
