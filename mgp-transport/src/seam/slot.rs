//! The place where a call receives its notifications and its reply.

use super::{CallError, CallEvent, Notification};
use mgp_types::rpc::RawResult;
use parking_lot::{Mutex, MutexGuard};
use std::{
    collections::VecDeque,
    task::{Context, Poll, Waker},
};

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
    pub(super) fn poll(&self, cx: &mut Context<'_>) -> Poll<CallEvent> {
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

    /// Ends the call. The first outcome is kept. `is_unrun` is `true` if the other side certainly did not run the call.
    pub(crate) fn end(&self, outcome: Result<RawResult, CallError>, is_unrun: bool) {
        let mut state = self.0.lock();
        if state.outcome.is_none() {
            (state.outcome, state.is_unrun) = (Some(outcome), is_unrun);
        }
        wake(state);
    }

    /// Returns whether the call ended with an error of the transport, and the other side certainly did not run it.
    pub(super) fn is_unrun(&self) -> bool {
        self.0.lock().is_unrun
    }

    /// Queues a notification. If there is no room, progress replaces earlier progress. Returns whether the notification was queued.
    pub(crate) fn push(&self, notification: Notification, limit: usize, max_bytes: usize) -> bool {
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
