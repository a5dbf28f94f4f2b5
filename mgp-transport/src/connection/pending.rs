//! Calls to the other side that wait for their reply.

use crate::seam::{CallError, Notification, Slot};
use mgp_types::rpc::RawResult;
use parking_lot::Mutex;
use std::{collections::BTreeMap, sync::Arc};

/// Calls to the other side by id.
#[derive(Debug)]
pub(super) struct PendingCalls {
    calls: Mutex<BTreeMap<i64, Arc<Slot>>>,
    limit: usize,
    queue: usize,
    bytes: usize,
}

impl PendingCalls {
    /// Creates an empty set with room for `limit` calls, each with at most `queue` unread notifications of at most `bytes` in total.
    pub(super) fn new(limit: usize, queue: usize, bytes: usize) -> Self {
        Self { calls: Mutex::default(), limit, queue, bytes }
    }

    pub(super) fn register(&self, id: i64) -> Result<Arc<Slot>, CallError> {
        let mut calls = self.calls.lock();
        if calls.len() >= self.limit {
            return Err(CallError::TooManyCalls { limit: self.limit });
        }
        let slot = Arc::new(Slot::default());
        calls.insert(id, slot.clone());
        Ok(slot)
    }

    /// Removes a call. Returns whether it was still waiting.
    pub(super) fn remove(&self, id: i64) -> bool {
        self.calls.lock().remove(&id).is_some()
    }

    /// Returns whether a call waits for its reply.
    pub(super) fn is_waiting(&self, id: i64) -> bool {
        self.calls.lock().contains_key(&id)
    }

    /// Hands a reply to its call. Returns whether a call was waiting for it.
    pub(super) fn finish(&self, id: i64, outcome: Result<RawResult, CallError>) -> bool {
        let slot = self.calls.lock().remove(&id);
        slot.map(|slot| slot.finish(outcome)).is_some()
    }

    /// Returns whether a call waits for a reply with this id.
    pub(super) fn holds(&self, id: i64) -> bool {
        self.calls.lock().contains_key(&id)
    }

    /// Ends a call that the other side certainly did not run. Returns whether the call was still waiting.
    pub(super) fn finish_unrun(&self, id: i64, error: CallError) -> bool {
        let slot = self.calls.lock().remove(&id);
        slot.map(|slot| slot.end(Err(error), true)).is_some()
    }

    /// Hands a notification to its call.
    pub(super) fn notify(&self, id: i64, notification: Notification) -> Delivery {
        let Some(slot) = self.calls.lock().get(&id).cloned() else { return Delivery::NoSuchCall };
        if slot.push(notification, self.queue, self.bytes) {
            return Delivery::Taken;
        }
        // A caller that does not read affects only its own call.
        self.finish(id, Err(CallError::SlowCaller { limit: self.queue }));
        Delivery::CallFailed
    }

    /// Fails every call.
    pub(super) fn fail_all(&self, error: &CallError) {
        let calls = std::mem::take(&mut *self.calls.lock());
        for (_, slot) in calls {
            slot.finish(Err(error.clone()));
        }
    }
}

/// The result of delivering a notification to its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    Taken,
    NoSuchCall,
    CallFailed,
}
