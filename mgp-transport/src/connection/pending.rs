//! Calls to the other side that wait for their reply.

use crate::seam::{CallError, CallEvent, Notification};
use mgp_types::rpc::RawResult;
use parking_lot::{Mutex, MutexGuard};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    task::{Context, Poll, Waker},
};

/// Calls to the other side by id.
#[derive(Debug)]
pub(crate) struct PendingCalls {
    calls: Mutex<BTreeMap<i64, Arc<Slot>>>,
    limit: usize,
    queue: usize,
    bytes: usize,
}

impl PendingCalls {
    /// Creates an empty set with room for `limit` calls, each with at most `queue` unread notifications of at most `bytes` in total.
    pub(crate) fn new(limit: usize, queue: usize, bytes: usize) -> Self {
        Self { calls: Mutex::default(), limit, queue, bytes }
    }

    pub(crate) fn register(&self, id: i64) -> Result<Arc<Slot>, CallError> {
        let mut calls = self.calls.lock();
        if calls.len() >= self.limit {
            return Err(CallError::TooManyCalls { limit: self.limit });
        }
        let slot = Arc::new(Slot::default());
        calls.insert(id, slot.clone());
        Ok(slot)
    }

    /// Removes a call. Returns whether it was still waiting.
    pub(crate) fn remove(&self, id: i64) -> bool {
        self.calls.lock().remove(&id).is_some()
    }

    /// Returns whether a call waits for its reply.
    pub(crate) fn is_waiting(&self, id: i64) -> bool {
        self.calls.lock().contains_key(&id)
    }

    /// Hands a reply to its call. Returns whether a call was waiting for it.
    pub(crate) fn finish(&self, id: i64, outcome: Result<RawResult, CallError>) -> bool {
        let slot = self.calls.lock().remove(&id);
        slot.map(|slot| slot.finish(outcome)).is_some()
    }

    /// Returns whether a call waits for a reply with this id.
    pub(crate) fn holds(&self, id: i64) -> bool {
        self.calls.lock().contains_key(&id)
    }

    /// Ends a call that the other side certainly did not run. Returns whether the call was still waiting.
    pub(crate) fn finish_unrun(&self, id: i64, error: CallError) -> bool {
        let slot = self.calls.lock().remove(&id);
        slot.map(|slot| slot.end(Err(error), true)).is_some()
    }

    /// Hands a notification to its call.
    pub(crate) fn notify(&self, id: i64, notification: Notification) -> Delivery {
        let Some(slot) = self.calls.lock().get(&id).cloned() else { return Delivery::NoSuchCall };
        if slot.push(notification, self.queue, self.bytes) {
            return Delivery::Taken;
        }
        // A caller that does not read affects only its own call.
        self.finish(id, Err(CallError::SlowCaller { limit: self.queue }));
        Delivery::CallFailed
    }

    /// Fails every call.
    pub(crate) fn fail_all(&self, error: &CallError) {
        let calls = std::mem::take(&mut *self.calls.lock());
        for (_, slot) in calls {
            slot.finish(Err(error.clone()));
        }
    }
}

/// The result of delivering a notification to its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    Taken,
    NoSuchCall,
    CallFailed,
}

/// The notifications and the reply of one call, handed from the reader of the connection to the caller.
#[derive(Debug, Default)]
pub(crate) struct Slot(Mutex<SlotState>);

#[derive(Debug, Default)]
struct SlotState {
    queue: VecDeque<Notification>,
    /// The total length of the queued params, in bytes.
    bytes: usize,
    outcome: Option<Result<RawResult, CallError>>,
    /// True if the outcome is an error of the transport, and the other side certainly did not run the call.
    is_unrun: bool,
    waker: Option<Waker>,
}

impl Slot {
    /// Polls for the next notification, or for the reply once no notifications are left.
    pub(crate) fn poll(&self, cx: &mut Context<'_>) -> Poll<CallEvent> {
        let mut state = self.0.lock();
        if let Some(notification) = state.queue.pop_front() {
            state.bytes -= notification.params.len();
            return Poll::Ready(CallEvent::Notification(notification));
        }
        if let Some(outcome) = state.outcome.take() {
            return Poll::Ready(CallEvent::Reply(outcome));
        }
        match &mut state.waker {
            Some(waker) => waker.clone_from(cx.waker()),
            None => state.waker = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    /// Ends the call. The first outcome is kept.
    pub(crate) fn finish(&self, outcome: Result<RawResult, CallError>) {
        self.end(outcome, false);
    }

    fn end(&self, outcome: Result<RawResult, CallError>, is_unrun: bool) {
        let mut state = self.0.lock();
        if state.outcome.is_none() {
            (state.outcome, state.is_unrun) = (Some(outcome), is_unrun);
        }
        wake(state);
    }

    /// Returns whether the call ended with an error of the transport, and the other side certainly did not run it.
    pub(crate) fn is_unrun(&self) -> bool {
        self.0.lock().is_unrun
    }

    /// Queues a notification. If there is no room, progress replaces earlier progress. Returns whether the notification was queued.
    fn push(&self, notification: Notification, limit: usize, max_bytes: usize) -> bool {
        let mut state = self.0.lock();
        let (count, bytes) = (state.queue.len(), state.bytes + notification.params.len());
        if count > 0 && (count >= limit || bytes > max_bytes) {
            let replaces =
                |last: &&mut Notification| is_progress(&notification) && last.method == notification.method;
            let Some(last) = state.queue.back_mut().filter(replaces) else { return false };
            let before = std::mem::replace(last, notification);
            state.bytes = bytes - before.params.len();
        } else {
            state.queue.push_back(notification);
            state.bytes = bytes;
        }
        wake(state);
        true
    }
}

fn wake(mut state: MutexGuard<'_, SlotState>) {
    let waker = state.waker.take();
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Returns `true` if a later notification of the same method makes this one superfluous.
fn is_progress(notification: &Notification) -> bool {
    matches!(&*notification.method, "notifications/progress" | "notifications/mgp.stream.progress")
}
