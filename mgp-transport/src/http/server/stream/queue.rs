//! The messages of one stream, between the senders and the one client that reads.

use super::{
    event_id::EventId,
    log::{Event, Kind, Log, ResumeError, Retention},
};
use crate::{connection::SendError, sync::wait_until};
use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use std::{
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};
use tokio::{sync::Notify, time::Instant};

/// The bounds of a queue.
#[derive(Debug, Clone, Copy)]
pub(in crate::http::server) struct Limits {
    /// The bounds on the messages that wait for a reader.
    pub(in crate::http::server) waiting: Retention,
    pub(in crate::http::server) write_timeout: Duration,
    /// The bounds on the messages that are kept for a client that reconnects.
    pub(in crate::http::server) kept: Retention,
    /// The time that messages are kept for a reconnection.
    pub(in crate::http::server) resume_timeout: Duration,
}

/// The stream that a queue belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamKind {
    /// The session's own stream: messages wait until there is a reader.
    Session,
    /// The stream of several requests, which ends with the last answer.
    Calls(usize),
}

/// The messages of one stream.
#[derive(Debug)]
pub(in crate::http::server) struct Queue {
    state: Mutex<State>,
    /// Notifies when there may be room, or never will be, and when a reader leaves.
    changed: Notify,
    limits: Limits,
    of: StreamKind,
    /// The id before the first event.
    start: EventId,
}

#[derive(Debug)]
struct State {
    log: Log,
    /// The number of the current reader.
    reader: Option<u64>,
    readers: u64,
    /// The reader whose stream was closed so that its client polls.
    dismissed: Option<u64>,
    waker: Option<Waker>,
    /// The time since which the reader has taken none of the waiting messages.
    since: Instant,
    /// The number of answers that are still to come.
    answers: usize,
    /// True if no more messages are accepted.
    ended: bool,
    /// True if the client knows an id of this stream, and so may reconnect to it.
    resumable: bool,
    left_at: Instant,
}

/// The reason why the queue did not accept a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http::server) enum PushError {
    Full,
    NoReader,
    Ended,
}

/// A reader that lost its stream.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the client lost the stream, because it read nothing for too long or reconnected while connected")]
pub(in crate::http::server) struct LostStream;

impl Queue {
    /// Creates a queue. `start` is the id before the first event.
    pub(super) fn new(limits: Limits, of: StreamKind, start: EventId) -> Arc<Self> {
        let now = Instant::now();
        let state = State {
            log: Log::default(),
            reader: None,
            readers: 0,
            dismissed: None,
            waker: None,
            since: now,
            answers: if let StreamKind::Calls(answers) = of { answers } else { 0 },
            ended: false,
            resumable: false,
            left_at: now,
        };
        Arc::new(Self { state: Mutex::new(state), changed: Notify::new(), limits, of, start })
    }

    /// Creates the stream of several requests, and the reader of their answers.
    pub(in crate::http::server) fn of_calls(
        limits: Limits,
        answers: usize,
        start: EventId,
    ) -> (Arc<Self>, Reader) {
        let queue = Self::new(limits, StreamKind::Calls(answers), start);
        let reader = queue.admit(&mut queue.state.lock());
        (queue, reader)
    }

    /// Creates the reader; `None` if there is one already.
    pub(super) fn read(self: &Arc<Self>) -> Option<Reader> {
        let mut state = self.state.lock();
        if state.reader.is_some() {
            return None;
        }
        Some(self.admit(&mut state))
    }

    /// Creates a reader that resumes after an event. An existing reader loses the stream: its client has reconnected.
    pub(super) fn resume(self: &Arc<Self>, after: u64) -> Result<Reader, ResumeError> {
        let mut state = self.state.lock();
        if !state.ended && !self.expects_reader(&state) {
            return Err(ResumeError::Expired);
        }
        state.log.rewind(after)?;
        let reader = self.admit(&mut state);
        wake(state);
        Ok(reader)
    }

    fn admit(self: &Arc<Self>, state: &mut State) -> Reader {
        state.readers += 1;
        state.reader = Some(state.readers);
        state.since = Instant::now();
        Reader { queue: self.clone(), number: state.readers }
    }

    /// Returns the number of the stream in its session.
    pub(super) fn number(&self) -> u64 {
        self.start.stream
    }

    pub(super) fn has_reader(&self) -> bool {
        self.state.lock().reader.is_some()
    }

    /// Returns `true` if the client may reconnect to the stream.
    pub(super) fn is_resumable(&self) -> bool {
        self.state.lock().resumable
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state.lock().ended
    }

    /// Returns the length of all messages in the queue, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.state.lock().log.bytes()
    }

    /// Adds a message if there is room. An urgent message has twice the room. An answer has unlimited room while there is no
    /// reader.
    pub(in crate::http::server) fn push(
        &self,
        urgent: bool,
        kind: Kind,
        write: impl FnOnce() -> Bytes,
    ) -> Result<(), PushError> {
        let mut state = self.state.lock();
        if state.ended {
            return Err(PushError::Ended);
        }
        if !self.expects_reader(&state) {
            state.log.clear();
            return Err(PushError::NoReader);
        }
        if matches!(kind, Kind::Mergeable(_)) && state.log.holds(&kind) {
            return Ok(());
        }
        let is_answer = matches!(kind, Kind::Answer { .. });
        let is_read = state.reader.is_some();
        if self.is_full(&state, if urgent { 2 } else { 1 }) && (is_read || !is_answer) {
            return Err(PushError::Full);
        }
        if state.log.waiting() == 0 {
            state.since = Instant::now();
        }
        state.log.push(Event { text: write(), kind });
        if is_answer {
            state.answers = state.answers.saturating_sub(1);
            state.ended = state.answers == 0;
        }
        // A message before the answer makes the response a stream, whose events carry ids.
        state.resumable |= is_read && !is_answer;
        wake(state);
        Ok(())
    }

    /// Expects one answer fewer. The stream ends if it was the last.
    pub(super) fn leave_unanswered(&self) {
        let last = {
            let mut state = self.state.lock();
            state.answers = state.answers.saturating_sub(1);
            state.answers == 0
        };
        if last {
            self.end();
        }
    }

    /// Ends the stream: no more messages are accepted, but waiting messages can still be read.
    pub(in crate::http::server) fn end(&self) {
        let mut state = self.state.lock();
        state.ended = true;
        wake(state);
        self.changed.notify_waiters();
    }

    /// Ends the reader's stream, so that its client reconnects for the rest. Returns whether there was a reader.
    pub(super) fn dismiss_reader(&self) -> bool {
        let mut state = self.state.lock();
        if state.ended || state.reader.is_none() {
            return false;
        }
        state.dismissed = state.reader;
        state.resumable = true;
        self.forget_reader(&mut state);
        wake(state);
        true
    }

    /// Waits until there may be room, or never will be. A reader that takes no message within the write time limit loses the stream.
    pub(in crate::http::server) async fn room(&self) {
        loop {
            let changed = self.changed.notified();
            let deadline = {
                let state = self.state.lock();
                if state.ended || !self.expects_reader(&state) || !self.is_full(&state, 1) {
                    return;
                }
                match (state.reader, self.of) {
                    (Some(_), _) => Some(state.since + self.limits.write_timeout),
                    (None, StreamKind::Session) => None,
                    (None, StreamKind::Calls(_)) => Some(state.left_at + self.limits.resume_timeout),
                }
            };
            match deadline {
                None => changed.await,
                Some(deadline) => {
                    let _ = tokio::time::timeout_at(deadline, changed).await;
                    self.drop_stalled_reader();
                }
            }
        }
    }

    /// Waits until all messages are read, or there is no reader.
    pub(in crate::http::server) async fn flush(&self) {
        wait_until(&self.changed, || {
            let state = self.state.lock();
            state.log.waiting() == 0 || state.reader.is_none()
        })
        .await;
    }

    /// Waits until all messages are read.
    pub(super) async fn collected(&self) {
        wait_until(&self.changed, || self.state.lock().log.waiting() == 0).await;
    }

    /// Waits until there is no reader.
    pub(super) async fn left(&self) {
        wait_until(&self.changed, || !self.has_reader()).await;
    }

    /// Takes the stream away from a reader that took no message within the write time limit.
    pub(super) fn drop_stalled_reader(&self) {
        let mut state = self.state.lock();
        let stalled = state.log.waiting() > 0 && state.since.elapsed() >= self.limits.write_timeout;
        if stalled && state.reader.is_some() {
            tracing::warn!(limit = ?self.limits.write_timeout, "a client reads nothing: it loses this stream");
            self.forget_reader(&mut state);
            wake(state);
        }
    }

    fn forget_reader(&self, state: &mut State) {
        state.reader = None;
        state.left_at = Instant::now();
        if self.of != StreamKind::Session && !state.resumable {
            state.log.clear();
        }
        self.changed.notify_waiters();
    }

    /// Returns `true` if there is a reader, or may still be one.
    fn expects_reader(&self, state: &State) -> bool {
        let may_come_back = || state.resumable && state.left_at.elapsed() < self.limits.resume_timeout;
        state.reader.is_some() || self.of == StreamKind::Session || may_come_back()
    }

    fn is_full(&self, state: &State, times: usize) -> bool {
        let is_left = state.reader.is_none() && self.of != StreamKind::Session;
        let Retention { messages, bytes } = if is_left { self.limits.kept } else { self.limits.waiting };
        state.log.waiting() >= messages.max(1) * times || state.log.waiting_bytes() >= bytes.max(1) * times
    }
}

fn wake(mut state: MutexGuard<'_, State>) {
    let waker = state.waker.take();
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl From<PushError> for SendError {
    fn from(not_taken: PushError) -> Self {
        match not_taken {
            PushError::Full => Self::Full,
            PushError::NoReader | PushError::Ended => Self::Closed,
        }
    }
}

/// The client's end of a stream. Dropping it means that the client is gone.
#[derive(Debug)]
pub(in crate::http::server) struct Reader {
    queue: Arc<Queue>,
    number: u64,
}

/// The next message of a stream, if it came in time.
pub(in crate::http::server) enum Next {
    Event(u64, Event),
    /// There are no more messages, or the stream was closed so that the client polls.
    End,
    /// There is no message yet, or the reader lost its stream.
    NotYet,
}

impl Reader {
    /// Returns the next message, with its number; `None` after the last, and if the stream was closed so that the client polls.
    pub(in crate::http::server) async fn next(&self) -> Option<Result<(u64, Event), LostStream>> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// Returns the next message if it comes before a deadline.
    pub(in crate::http::server) async fn next_by(&self, deadline: Instant) -> Next {
        match tokio::time::timeout_at(deadline, self.next()).await {
            Ok(Some(Ok((number, event)))) => Next::Event(number, event),
            Ok(None) => Next::End,
            Ok(Some(Err(_))) | Err(_) => Next::NotYet,
        }
    }

    fn poll_next(&self, cx: &mut Context<'_>) -> Poll<Option<Result<(u64, Event), LostStream>>> {
        let mut state = self.queue.state.lock();
        if state.reader != Some(self.number) {
            let dismissed = state.dismissed == Some(self.number);
            return Poll::Ready(if dismissed { None } else { Some(Err(LostStream)) });
        }
        if let Some(event) = state.log.take(self.queue.limits.kept) {
            state.since = Instant::now();
            drop(state);
            self.queue.changed.notify_waiters();
            return Poll::Ready(Some(Ok(event)));
        }
        if state.ended {
            return Poll::Ready(None);
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Puts messages at the start of the stream, regardless of room.
    pub(in crate::http::server) fn begin_with(&self, texts: impl Iterator<Item = Bytes>) {
        let mut state = self.queue.state.lock();
        for text in texts {
            state.log.push(Event { text, kind: Kind::Answer { ok: false } });
        }
    }

    /// Records that the client receives ids of this stream, and so may reconnect to it.
    pub(super) fn show(&self) {
        self.queue.state.lock().resumable = true;
    }

    /// Returns the id of an event of this stream.
    pub(super) fn id(&self, event: u64) -> EventId {
        EventId { event, ..self.queue.start }
    }

    /// Returns the number of the event that was sent last.
    pub(in crate::http::server) fn last_sent(&self) -> u64 {
        self.queue.state.lock().log.last_sent()
    }

    /// Returns `true` if the stream was closed so that the client polls.
    pub(in crate::http::server) fn is_dismissed(&self) -> bool {
        self.queue.state.lock().dismissed == Some(self.number)
    }

    /// Returns `true` if this is the stream of requests.
    pub(super) fn is_of_calls(&self) -> bool {
        self.queue.of != StreamKind::Session
    }

    /// Closes the stream, so that the client polls.
    pub(super) fn dismiss(&self) {
        self.queue.dismiss_reader();
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.queue.state.lock();
        if state.reader == Some(self.number) {
            self.queue.forget_reader(&mut state);
        }
    }
}
