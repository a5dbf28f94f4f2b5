//! The streams of one session, and the choice of the stream that carries a message.

use super::{
    EventId, Kind, Limits, PushError, Queue, Reader, ResumeError, Retention, queue::StreamKind,
    resumable::ResumableStreams,
};
use crate::{
    connection::{Body, ConnectionError, Outbound, Outgoing, Route, SendError},
    http::{
        era,
        server::{HttpServerConfig, ResumeConfig},
    },
    seam::{LogLimit, Session, warn_limited},
};
use futures_core::future::BoxFuture;
use mgp_types::{mcp::ProtocolVersion, rpc::RequestId};
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::Notify;

/// The streams of one session: one for each request that runs, and the session's own.
#[derive(Debug)]
pub(in crate::http::server) struct Streams {
    calls: Mutex<Calls>,
    own: Arc<Queue>,
    limits: Limits,
    resume: ResumeConfig,
    /// The session, whose revision determines whether clients reconnect to a closed stream.
    session: Session,
    /// The number that the ids of the session's events begin with.
    number: u64,
    /// The request that opens the session; `None` if the session's own stream carries everything.
    opening: Option<RequestId>,
    /// True once the opening request was answered. A later request may have its id.
    is_opened: AtomicBool,
    /// Notifies when the opening request was answered with an error.
    pub(in crate::http::server) refused: Notify,
    warnings: StreamWarnings,
}

/// The rate limits of the warnings about messages that are dropped, one for each kind.
#[derive(Debug, Default)]
struct StreamWarnings {
    notifications: LogLimit,
    refusals: LogLimit,
    /// Notifications of calls.
    calls: LogLimit,
}

#[derive(Debug, Default)]
struct Calls {
    /// The streams of running calls. Each is kept until its call is answered, even if the client is gone: until then, the id is
    /// in use.
    running: HashMap<RequestId, Arc<Queue>>,
    resumable: ResumableStreams,
    closed: bool,
}

impl Streams {
    /// Creates the streams. `opening` is the request that opens the session; `None` if the session's own stream carries everything.
    pub(in crate::http::server) fn new(
        config: &HttpServerConfig,
        session: Session,
        number: u64,
        opening: Option<RequestId>,
    ) -> Arc<Self> {
        let limits = Limits {
            waiting: Retention { messages: config.stream_messages, bytes: config.stream_bytes },
            write_timeout: config.write_timeout,
            kept: Retention { messages: config.resume.messages, bytes: config.resume.bytes },
            resume_timeout: config.resume.timeout,
        };
        Arc::new(Self {
            calls: Mutex::default(),
            own: Queue::new(limits, StreamKind::Session, EventId { session: number, stream: 0, event: 0 }),
            limits,
            resume: config.resume,
            session,
            number,
            opening,
            is_opened: AtomicBool::new(false),
            refused: Notify::new(),
            warnings: StreamWarnings::default(),
        })
    }

    /// Opens one stream for several requests. Returns the id of a request that is already running, or that is in `ids` twice.
    pub(in crate::http::server) fn open_calls<'a>(
        &self,
        ids: &[&'a RequestId],
    ) -> Result<Reader, &'a RequestId> {
        let mut calls = self.calls.lock();
        for (at, id) in ids.iter().copied().enumerate() {
            if calls.running.contains_key(id) || ids[..at].contains(&id) {
                return Err(id);
            }
        }
        let start = EventId { session: self.number, stream: calls.resumable.next(), event: 0 };
        let (queue, reader) = Queue::of_calls(self.limits, ids.len(), start);
        if calls.closed {
            queue.end();
            return Ok(reader);
        }
        calls.resumable.add(queue.clone());
        for id in ids {
            calls.running.insert((*id).clone(), queue.clone());
        }
        Ok(reader)
    }

    /// Opens the session's own stream; `None` while a client reads it.
    pub(in crate::http::server) fn open_session(&self) -> Option<Reader> {
        self.own.read()
    }

    /// Resumes the stream that an id names, after the event that the id names.
    pub(in crate::http::server) fn resume(&self, id: EventId) -> Result<Reader, ResumeError> {
        if id.session != self.number {
            return Err(ResumeError::Unknown);
        }
        let stream = match id.stream {
            0 => Some(self.own.clone()),
            stream => {
                let calls = self.calls.lock();
                let found = calls.resumable.find(stream);
                if found.is_none() && !calls.resumable.was(stream) {
                    return Err(ResumeError::Unknown);
                }
                found
            }
        };
        stream.ok_or(ResumeError::Expired)?.resume(id.event)
    }

    /// Returns the number that the ids of the session's events begin with.
    pub(in crate::http::server) fn number(&self) -> u64 {
        self.number
    }

    /// Returns `true` if clients reconnect to a closed stream, and so need an id early.
    pub(super) fn are_polled(&self) -> bool {
        self.session.get::<ProtocolVersion>().is_some_and(era::comes_back)
    }

    /// Closes the streams of clients that read nothing, and drops streams that were kept for too long.
    pub(in crate::http::server) fn tidy(&self) {
        self.own.drop_stalled_reader();
        for queue in self.queues() {
            queue.drop_stalled_reader();
        }
        self.calls.lock().resumable.forget_old(&self.resume);
    }

    /// Waits until clients that were away have returned for the answers that they have not read.
    pub(in crate::http::server) async fn collected(&self) {
        let finished = self.calls.lock().resumable.finished();
        for queue in finished {
            queue.collected().await;
        }
    }

    /// Waits until the session's own stream has no reader.
    pub(in crate::http::server) async fn left(&self) {
        self.own.left().await;
    }

    fn queues(&self) -> Vec<Arc<Queue>> {
        self.calls.lock().running.values().cloned().collect()
    }

    fn call(&self, id: &RequestId) -> Option<Arc<Queue>> {
        self.calls.lock().running.get(id).cloned()
    }

    /// Ends the stream of a request, with its answer if there is one.
    fn finish(&self, id: &RequestId, message: &Outgoing<'_>) -> Result<(), SendError> {
        let Some(queue) = self.call(id) else { return Ok(()) };
        let ok = matches!(message.body, Body::Response { outcome: Ok(_), .. });
        if matches!(message.body, Body::Silence { .. }) {
            queue.leave_unanswered();
        } else {
            match queue.push(message.urgent, Kind::Answer { ok }, || message.text()) {
                Ok(()) => {}
                Err(PushError::Full) if message.urgent => queue.leave_unanswered(),
                Err(PushError::Full) => return Err(SendError::Full),
                // An answer may be sent only on its own stream.
                Err(PushError::NoReader | PushError::Ended) => {
                    tracing::debug!(%id, "the client of a call is gone: answer dropped");
                    queue.leave_unanswered();
                }
            }
        }
        let mut calls = self.calls.lock();
        calls.running.remove(id);
        if queue.has_ended() {
            calls.resumable.over(&queue, &self.resume);
        }
        drop(calls);
        if self.opening.as_ref() == Some(id) && !self.is_opened.swap(true, Ordering::AcqRel) && !ok {
            self.refused.notify_one();
        }
        Ok(())
    }

    /// Sends a message on the session's stream. With `needs_reader`, a notification is dropped unless a client reads the stream now.
    fn send_to_session(&self, message: &Outgoing<'_>, needs_reader: bool) -> Result<(), SendError> {
        let (kind, limit) = match message.body {
            Body::Notification { method, .. } if needs_reader && !self.own.has_reader() => {
                tracing::debug!(%method, "the client of a call is gone: notification dropped");
                return Ok(());
            }
            Body::Notification { method, .. } if method.ends_with("/list_changed") => {
                (Kind::Mergeable(method.clone()), &self.warnings.notifications)
            }
            Body::Request { .. } | Body::Notification { .. } => (Kind::Message, &self.warnings.notifications),
            Body::Response { .. } if self.carries_all() => (Kind::Message, &self.warnings.refusals),
            Body::Response { .. } | Body::Silence { .. } => return Ok(()),
        };
        Ok(self.push(&self.own, kind, message, limit)?)
    }

    /// Adds a message to a stream. If there is no room, an urgent message is dropped, and so is a notification without a reader.
    fn push(
        &self,
        queue: &Queue,
        kind: Kind,
        message: &Outgoing<'_>,
        limit: &LogLimit,
    ) -> Result<(), PushError> {
        let sent = queue.push(message.urgent, kind, || message.text());
        let is_notification = matches!(message.body, Body::Notification { .. });
        if sent == Err(PushError::Full) && (message.urgent || is_notification && !queue.has_reader()) {
            let (session, route) = (self.session.id(), message.route);
            warn_limited!(limit, session, ?route, "a stream is full and not read: message dropped");
            return Ok(());
        }
        sent
    }

    /// Returns `true` if the session's own stream carries everything.
    fn carries_all(&self) -> bool {
        self.opening.is_none()
    }

    fn send_to_call(&self, id: &RequestId, message: &Outgoing<'_>) -> Result<(), SendError> {
        if let Some(queue) = self.call(id) {
            match self.push(&queue, Kind::Message, message, &self.warnings.calls) {
                Ok(()) => return Ok(()),
                Err(PushError::Full) => return Err(SendError::Full),
                Err(PushError::NoReader | PushError::Ended) => {}
            }
        }
        self.send_to_session(message, true)
    }
}

impl Outbound for Streams {
    fn try_send(&self, message: &Outgoing<'_>) -> Result<(), SendError> {
        if self.calls.lock().closed {
            return Err(SendError::Closed);
        }
        if self.carries_all() {
            return self.send_to_session(message, false);
        }
        if let Body::Response { id: Some(id), .. } | Body::Silence { id } = message.body {
            return self.finish(id, message);
        }
        match message.route {
            Route::Session => self.send_to_session(message, false),
            Route::Request(id) => self.send_to_call(id, message),
        }
    }

    fn room(&self, message: &Outgoing<'_>) -> BoxFuture<'_, ()> {
        let call = match message.route {
            Route::Session => None,
            Route::Request(id) => self.call(id).filter(|queue| queue.has_reader() || queue.is_resumable()),
        };
        let queue = call.unwrap_or_else(|| self.own.clone());
        Box::pin(async move { queue.room().await })
    }

    fn flush(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            for queue in self.queues() {
                queue.flush().await;
            }
            self.own.flush().await;
        })
    }

    fn close_stream(&self, route: &Route) -> bool {
        if self.carries_all() || !self.are_polled() {
            return false;
        }
        match route {
            Route::Session => self.own.dismiss_reader(),
            Route::Request(id) => self.call(id).is_some_and(|queue| queue.dismiss_reader()),
        }
    }

    fn close(&self, _: &ConnectionError) {
        let mut calls = {
            let mut calls = self.calls.lock();
            let taken = std::mem::take(&mut *calls);
            calls.closed = true;
            taken
        };
        for (_, queue) in calls.running.drain() {
            queue.end();
        }
        self.own.end();
    }
}
