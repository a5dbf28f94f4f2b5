//! The messages that wait to be sent, and the number of those in flight.

use super::stateless::{self, ToolHeaders};
use crate::{
    connection::{Body, ConnectionError, Outbound, Outgoing, SendError},
    era::INITIALIZE,
    http::era,
    sync::wait_until,
};
use bytes::Bytes;
use futures_core::future::BoxFuture;
use http::HeaderMap;
use mgp_types::rpc::{RawParams, RequestId};
use parking_lot::Mutex;
use std::{
    collections::VecDeque,
    sync::{Arc, Weak},
};
use tokio::sync::Notify;

/// The messages that wait to be sent, and the number of those in flight.
#[derive(Debug)]
pub(super) struct Outbox {
    state: Mutex<State>,
    /// Notifies the driver.
    waiting: Notify,
    /// Notifies senders.
    changed: Notify,
    calls: usize,
    others: usize,
    tools: ToolHeaders,
    this: Weak<Self>,
}

#[derive(Debug, Default)]
struct State {
    messages: VecDeque<Message>,
    /// The number of requests that wait or are in flight.
    calls: usize,
    /// The number of notifications and responses that wait or are in flight.
    others: usize,
    /// The number of messages that wait, or have not reached a TCP connection yet.
    unsent: usize,
    /// The number of notifications that the server did not accept.
    refused: u64,
    closed: bool,
}

/// A message to be sent.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) text: Bytes,
    pub(super) kind: Kind,
    /// The headers of a request of a stateless revision.
    pub(super) headers: Option<HeaderMap>,
    /// Held until the exchange of the message has ended.
    pub(super) place: Place,
    /// Held until the message has reached its TCP connection, or never will.
    pub(super) unsent: UnsentGuard,
}

/// The kind of a message, which determines the order of sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// The request that opens the session.
    Opening(RequestId),
    /// The notification after which all other messages may be sent.
    Opened,
    /// Another request.
    Call(RequestId),
    /// The cancellation of a request, which ends the exchange of that request.
    Cancel(RequestId),
    /// Another notification.
    Notice,
    /// The response to a request of the server.
    Answer,
}

impl Kind {
    /// Returns the id of the request that waits for an answer.
    pub(super) fn call(&self) -> Option<&RequestId> {
        match self {
            Self::Opening(id) | Self::Call(id) => Some(id),
            Self::Opened | Self::Cancel(_) | Self::Notice | Self::Answer => None,
        }
    }
}

impl Outbox {
    pub(super) fn new(calls: usize, others: usize, tools: ToolHeaders) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            state: Mutex::default(),
            waiting: Notify::new(),
            changed: Notify::new(),
            calls: calls.max(1),
            others: others.max(1),
            tools,
            this: this.clone(),
        })
    }

    /// Waits for the next message to be sent.
    pub(super) async fn next(&self) -> Message {
        loop {
            let waiting = self.waiting.notified();
            if let Some(message) = self.state.lock().messages.pop_front() {
                return message;
            }
            waiting.await;
        }
    }
}

impl Outbound for Outbox {
    fn try_send(&self, message: &Outgoing<'_>) -> Result<(), SendError> {
        let kind = match message.body {
            Body::Silence { .. } => return Ok(()),
            Body::Request { id, method, .. } if *method == INITIALIZE => Kind::Opening(id.clone()),
            Body::Request { id, .. } => Kind::Call(id.clone()),
            Body::Notification { method, .. } if *method == era::SESSION_IS_OPEN => Kind::Opened,
            Body::Notification { method, params } if *method == era::CANCELS => {
                cancelled(params).map_or(Kind::Notice, Kind::Cancel)
            }
            Body::Notification { .. } => Kind::Notice,
            Body::Response { .. } => Kind::Answer,
        };
        let is_call = kind.call().is_some();
        let headers = match message.body {
            Body::Request { method, params, .. } => stateless::headers(method, params, &self.tools),
            _ => None,
        };
        let mut state = self.state.lock();
        if state.closed {
            return Err(SendError::Closed);
        }
        let (count, limit) = if is_call { (state.calls, self.calls) } else { (state.others, self.others) };
        if count >= limit && !message.urgent {
            return Err(SendError::Full);
        }
        if count >= limit * 2 {
            tracing::warn!("the server accepts no messages: an urgent message was dropped");
            return Ok(());
        }
        *(if is_call { &mut state.calls } else { &mut state.others }) += 1;
        state.unsent += 1;
        let place = Place { outbox: self.this.clone(), is_call };
        let unsent = UnsentGuard(self.this.clone());
        state.messages.push_back(Message { text: message.text(), kind, headers, place, unsent });
        drop(state);
        self.waiting.notify_one();
        Ok(())
    }

    fn room(&self, message: &Outgoing<'_>) -> BoxFuture<'_, ()> {
        let is_call = matches!(message.body, Body::Request { .. });
        Box::pin(wait_until(&self.changed, move || {
            let state = self.state.lock();
            let room = if is_call { state.calls < self.calls } else { state.others < self.others };
            room || state.closed
        }))
    }

    fn flush(&self) -> BoxFuture<'_, ()> {
        Box::pin(wait_until(&self.changed, || {
            let state = self.state.lock();
            state.closed || (state.unsent == 0 && state.others == 0)
        }))
    }

    fn refused_notices(&self) -> u64 {
        self.state.lock().refused
    }

    fn close(&self, _: &ConnectionError) {
        let messages = {
            let mut state = self.state.lock();
            state.closed = true;
            std::mem::take(&mut state.messages)
        };
        // Dropped outside the lock, because each message releases its place.
        drop(messages);
        self.changed.notify_waiters();
    }
}

fn cancelled(params: &RawParams) -> Option<RequestId> {
    RequestId::from_json(params.object().ok()?.get("requestId")?).ok()
}

/// A place among the messages that may be in flight.
#[derive(Debug)]
pub(super) struct Place {
    outbox: Weak<Outbox>,
    is_call: bool,
}

impl Place {
    /// Records that the server did not accept the message.
    pub(super) fn refuse(&self) {
        if let Some(outbox) = self.outbox.upgrade() {
            outbox.state.lock().refused += 1;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(outbox) = self.outbox.upgrade() else { return };
        let mut state = outbox.state.lock();
        *(if self.is_call { &mut state.calls } else { &mut state.others }) -= 1;
        drop(state);
        outbox.changed.notify_waiters();
    }
}

/// A guard that counts a message as unsent until it has reached a TCP connection.
#[derive(Debug)]
pub(super) struct UnsentGuard(Weak<Outbox>);

impl Drop for UnsentGuard {
    fn drop(&mut self) {
        let Some(outbox) = self.0.upgrade() else { return };
        outbox.state.lock().unsent -= 1;
        outbox.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Route;
    use futures_util::FutureExt;
    use mgp_types::rpc::Method;

    #[tokio::test]
    async fn without_a_slot_only_urgent_messages_are_accepted() {
        let outbox = Outbox::new(1, 1, ToolHeaders::default());
        let (id, method, params) = (1.into(), Method::known("x"), RawParams::none());
        let request = Body::Request { id: &id, method: &method, params: &params };
        let notification = Body::Notification { method: &method, params: &params };
        let message = |body, urgent| Outgoing { route: &Route::Session, body, urgent };
        for body in [request, notification] {
            assert_eq!(outbox.try_send(&message(body, false)), Ok(()));
            assert_eq!(outbox.try_send(&message(body, false)), Err(SendError::Full));
            assert!(outbox.room(&message(body, false)).now_or_never().is_none());
        }
        for _ in 0..3 {
            assert_eq!(outbox.try_send(&message(notification, true)), Ok(()));
        }
        assert_eq!(outbox.state.lock().messages.len(), 3, "urgent messages are bounded too");
        drop(outbox.next().await);
        assert!(outbox.room(&message(request, false)).now_or_never().is_some());
        assert!(outbox.room(&message(notification, false)).now_or_never().is_none());
        outbox.close(&ConnectionError::Shutdown);
        assert!(outbox.room(&message(notification, false)).now_or_never().is_some());
        assert_eq!(outbox.try_send(&message(request, true)), Err(SendError::Closed));
    }
}
