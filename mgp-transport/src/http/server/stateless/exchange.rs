//! The exchange of one request: its answer, and the messages before that.

use crate::{
    connection::{Body, ConnectionError, Outbound, Outgoing, SendError},
    http::server::stream::{EventId, Kind, Limits, PushError, Queue, Reader},
};
use futures_core::future::BoxFuture;
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

/// The destination of a request's answer, and of the messages before it: the body of the response.
#[derive(Debug)]
pub(in crate::http::server) struct Exchange {
    queue: Arc<Queue>,
    /// The code of the error that the request was answered with; 0 if there was none.
    error: AtomicI64,
}

impl Exchange {
    /// Creates an exchange, and its client's end.
    pub(super) fn new(limits: Limits) -> (Arc<Self>, Reader) {
        // The stream cannot be resumed, so its events have no ids.
        let (queue, reader) = Queue::of_calls(limits, 1, EventId { session: 0, stream: 0, event: 0 });
        (Arc::new(Self { queue, error: AtomicI64::new(0) }), reader)
    }

    /// Returns the code of the error that the request was answered with, if there was one.
    pub(in crate::http::server) fn error(&self) -> Option<i64> {
        Some(self.error.load(Ordering::Acquire)).filter(|code| *code != 0)
    }

    fn push(&self, message: &Outgoing<'_>, kind: Kind) -> Result<(), SendError> {
        let taken = self.queue.push(message.urgent, kind, || message.text());
        match taken {
            Ok(()) => {}
            Err(PushError::Full) if !message.urgent => return Err(SendError::Full),
            // An answer that can no longer be delivered, or a message before it that exceeds the room.
            Err(_) => tracing::debug!("the client of a request is gone, or takes nothing: message dropped"),
        }
        Ok(())
    }
}

impl Outbound for Exchange {
    fn try_send(&self, message: &Outgoing<'_>) -> Result<(), SendError> {
        match message.body {
            Body::Response { outcome, .. } => {
                if let Err(error) = outcome {
                    self.error.store(error.code, Ordering::Release);
                }
                self.push(message, Kind::Answer { ok: outcome.is_ok() })
            }
            Body::Silence { .. } => {
                self.queue.end();
                Ok(())
            }
            Body::Notification { .. } => self.push(message, Kind::Message),
            // The client accepts no requests: see `CallError::Stateless`.
            Body::Request { .. } => Err(SendError::Closed),
        }
    }

    fn room(&self, _: &Outgoing<'_>) -> BoxFuture<'_, ()> {
        Box::pin(self.queue.room())
    }

    fn flush(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.queue.flush())
    }

    fn close(&self, _: &ConnectionError) {
        self.queue.end();
    }
}
