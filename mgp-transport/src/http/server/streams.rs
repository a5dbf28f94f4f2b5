//! The streams of one session, and which of them carries a message.

use super::queue::{Kind, Limits, NotTaken, Queue, Reader};
use crate::{
    connection::{Body, ConnectionError, Outbound, Outgoing, Route, SendError},
    sync::lock,
};
use bytes::Bytes;
use futures_core::future::BoxFuture;
use mgp_types::rpc::RequestId;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use tokio::sync::Notify;

/// The streams of one session: one for each request that runs, and the session's own.
#[derive(Debug)]
pub(super) struct Streams {
    calls: Mutex<Calls>,
    session: Arc<Queue>,
    limits: Limits,
    /// The request that opened the session.
    opening: RequestId,
    /// Rings when that request was answered with an error.
    pub(super) refused: Notify,
}

#[derive(Debug, Default)]
struct Calls {
    /// Kept until the call is answered, also where its client is gone: its id is not free before.
    streams: HashMap<RequestId, Arc<Queue>>,
    closed: bool,
}

impl Streams {
    pub(super) fn new(limits: Limits, opening: RequestId) -> Arc<Self> {
        Arc::new(Self {
            calls: Mutex::default(),
            session: Queue::new(limits, true),
            limits,
            opening,
            refused: Notify::new(),
        })
    }

    /// The stream of a request; `None` while one of the same id runs.
    pub(super) fn open_call(&self, id: &RequestId) -> Option<Reader> {
        let mut calls = lock(&self.calls);
        if calls.streams.contains_key(id) {
            return None;
        }
        let queue = Queue::new(self.limits, false);
        let reader = queue.read();
        if calls.closed {
            queue.end();
        } else {
            calls.streams.insert(id.clone(), queue);
        }
        reader
    }

    /// The session's own stream; `None` while a client reads it.
    pub(super) fn open_session(&self) -> Option<Reader> {
        self.session.read()
    }

    /// Takes their streams from clients that take nothing.
    pub(super) fn drop_stalled_readers(&self) {
        self.session.drop_stalled_reader();
        for queue in self.queues() {
            queue.drop_stalled_reader();
        }
    }

    fn queues(&self) -> Vec<Arc<Queue>> {
        lock(&self.calls).streams.values().cloned().collect()
    }

    fn call(&self, id: &RequestId) -> Option<Arc<Queue>> {
        lock(&self.calls).streams.get(id).cloned()
    }

    /// Ends the stream of a request, with its answer where there is one.
    fn finish(&self, id: &RequestId, message: &Outgoing<'_>) -> Result<(), SendError> {
        let Some(queue) = self.call(id) else { return Ok(()) };
        let ok = matches!(message.body, Body::Response { outcome: Ok(_), .. });
        if matches!(message.body, Body::Silence { .. }) {
            queue.end();
        } else {
            match queue.push(message.urgent, Kind::Answer { ok }, || write(message)) {
                Ok(()) => {}
                Err(NotTaken::Full) if message.urgent => queue.end(),
                Err(NotTaken::Full) => return Err(SendError::Full),
                // An answer may go nowhere but to its own stream.
                Err(NotTaken::NoReader | NotTaken::Ended) => {
                    tracing::debug!(%id, "the client of a call is gone: answer dropped");
                }
            }
        }
        lock(&self.calls).streams.remove(id);
        if *id == self.opening && !ok {
            self.refused.notify_one();
        }
        Ok(())
    }

    /// Sends on the session's stream. `needs_reader`: only where a client reads it now.
    fn send_to_session(&self, message: &Outgoing<'_>, needs_reader: bool) -> Result<(), SendError> {
        let (method, is_request) = match message.body {
            Body::Request { method, .. } => (method, true),
            Body::Notification { method, .. } => (method, false),
            Body::Response { .. } | Body::Silence { .. } => return Ok(()),
        };
        if needs_reader && !is_request && !self.session.has_reader() {
            tracing::debug!(%method, "the client of a call is gone: notification dropped");
            return Ok(());
        }
        let kind =
            if method.ends_with("/list_changed") { Kind::Mergeable(method.clone()) } else { Kind::Message };
        match self.session.push(message.urgent, kind, || write(message)) {
            Err(NotTaken::Full) if message.urgent || (!is_request && !self.session.has_reader()) => {
                tracing::warn!(%method, "the session's stream is full and not read: notification dropped");
                Ok(())
            }
            sent => Ok(sent?),
        }
    }
}

impl Outbound for Streams {
    fn try_send(&self, message: &Outgoing<'_>) -> Result<(), SendError> {
        if lock(&self.calls).closed {
            return Err(SendError::Closed);
        }
        if let Body::Response { id: Some(id), .. } | Body::Silence { id } = message.body {
            return self.finish(id, message);
        }
        let Route::Request(id) = message.route else { return self.send_to_session(message, false) };
        if let Some(queue) = self.call(id) {
            match queue.push(message.urgent, Kind::Message, || write(message)) {
                Ok(()) => return Ok(()),
                Err(NotTaken::Full) if message.urgent => {
                    tracing::warn!(%id, "the stream of a call is full and not read: notification dropped");
                    return Ok(());
                }
                Err(NotTaken::Full) => return Err(SendError::Full),
                Err(NotTaken::NoReader | NotTaken::Ended) => {}
            }
        }
        self.send_to_session(message, true)
    }

    fn room(&self, message: &Outgoing<'_>) -> BoxFuture<'_, ()> {
        let call = match message.route {
            Route::Session => None,
            Route::Request(id) => self.call(id).filter(|queue| queue.has_reader()),
        };
        let queue = call.unwrap_or_else(|| self.session.clone());
        Box::pin(async move { queue.room().await })
    }

    fn flush(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            for queue in self.queues() {
                queue.flush().await;
            }
            self.session.flush().await;
        })
    }

    fn close(&self, _: &ConnectionError) {
        let streams = {
            let mut calls = lock(&self.calls);
            calls.closed = true;
            std::mem::take(&mut calls.streams)
        };
        for queue in streams.values() {
            queue.end();
        }
        self.session.end();
    }
}

fn write(message: &Outgoing<'_>) -> Bytes {
    let mut text = Vec::with_capacity(256);
    message.body.write(&mut text);
    text.into()
}
