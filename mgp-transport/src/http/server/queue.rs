//! The messages that wait in one stream, between those who send and the one client that reads.

use crate::{
    connection::SendError,
    sync::{lock, wait_until},
};
use bytes::Bytes;
use mgp_types::rpc::Method;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    time::Duration,
};
use tokio::{sync::Notify, time::Instant};

/// One message on its way to a client.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) text: Bytes,
    pub(super) kind: Kind,
}

/// What a message means to the stream that carries it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// More may follow.
    Message,
    /// A later one of the same method says nothing more.
    Mergeable(Method),
    /// The answer, the last of its stream, and whether it is a result.
    Answer { ok: bool },
}

/// The bounds of a queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) messages: usize,
    pub(super) bytes: usize,
    pub(super) write_time_limit: Duration,
}

/// The messages that wait in one stream.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    /// Rings when there may be room, or never will be.
    changed: Notify,
    limits: Limits,
    /// Whether messages wait for a reader that is not there yet.
    waits_for_reader: bool,
}

#[derive(Debug)]
struct State {
    events: VecDeque<Event>,
    bytes: usize,
    /// The number of the reader that is there.
    reader: Option<u64>,
    readers: u64,
    waker: Option<Waker>,
    /// Since when the reader took nothing of what is there for it.
    since: Instant,
    /// Nothing more comes.
    ended: bool,
}

/// Why the queue did not take a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotTaken {
    Full,
    NoReader,
    Ended,
}

/// A reader that took nothing for too long, and so lost its stream.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the client took nothing of the stream for too long")]
pub(super) struct Lost;

impl Queue {
    pub(super) fn new(limits: Limits, waits_for_reader: bool) -> Arc<Self> {
        let state = State {
            events: VecDeque::new(),
            bytes: 0,
            reader: None,
            readers: 0,
            waker: None,
            since: Instant::now(),
            ended: false,
        };
        Arc::new(Self { state: Mutex::new(state), changed: Notify::new(), limits, waits_for_reader })
    }

    /// The one reader; `None` where there is one already.
    pub(super) fn read(self: &Arc<Self>) -> Option<Reader> {
        let mut state = lock(&self.state);
        if state.reader.is_some() {
            return None;
        }
        state.readers += 1;
        state.reader = Some(state.readers);
        state.since = Instant::now();
        Some(Reader { queue: self.clone(), number: state.readers })
    }

    pub(super) fn has_reader(&self) -> bool {
        lock(&self.state).reader.is_some()
    }

    /// Takes a message where there is room; an urgent one has twice the room.
    pub(super) fn push(
        &self,
        urgent: bool,
        kind: Kind,
        write: impl FnOnce() -> Bytes,
    ) -> Result<(), NotTaken> {
        let mut state = lock(&self.state);
        if state.ended {
            return Err(NotTaken::Ended);
        }
        if state.reader.is_none() && !self.waits_for_reader {
            return Err(NotTaken::NoReader);
        }
        if matches!(kind, Kind::Mergeable(_)) && state.events.iter().any(|event| event.kind == kind) {
            return Ok(());
        }
        if self.is_full(&state, if urgent { 2 } else { 1 }) {
            return Err(NotTaken::Full);
        }
        if state.events.is_empty() {
            state.since = Instant::now();
        }
        let event = Event { text: write(), kind };
        state.bytes += event.text.len();
        state.ended = matches!(event.kind, Kind::Answer { .. });
        state.events.push_back(event);
        wake(state);
        Ok(())
    }

    /// Nothing more comes; what is there can still be read.
    pub(super) fn end(&self) {
        let mut state = lock(&self.state);
        state.ended = true;
        wake(state);
        self.changed.notify_waiters();
    }

    /// Ends when there may be room, or never will be. A reader that takes nothing for the write time limit is lost.
    pub(super) async fn room(&self) {
        loop {
            let changed = self.changed.notified();
            let deadline = {
                let state = lock(&self.state);
                let gone = state.reader.is_none() && !self.waits_for_reader;
                if state.ended || gone || !self.is_full(&state, 1) {
                    return;
                }
                state.reader.map(|_| state.since + self.limits.write_time_limit)
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

    /// Ends when everything is read, or nobody is there to read it.
    pub(super) async fn flush(&self) {
        wait_until(&self.changed, || {
            let state = lock(&self.state);
            state.events.is_empty() || state.reader.is_none()
        })
        .await;
    }

    /// Takes the stream from a reader that took nothing for the write time limit.
    pub(super) fn drop_stalled_reader(&self) {
        let mut state = lock(&self.state);
        let stalled = !state.events.is_empty() && state.since.elapsed() >= self.limits.write_time_limit;
        if stalled && state.reader.is_some() {
            tracing::warn!(limit = ?self.limits.write_time_limit, "a client takes nothing: it loses this stream");
            self.forget_reader(&mut state);
            wake(state);
        }
    }

    fn forget_reader(&self, state: &mut State) {
        state.reader = None;
        if !self.waits_for_reader {
            state.events.clear();
            state.bytes = 0;
        }
        self.changed.notify_waiters();
    }

    fn is_full(&self, state: &State, times: usize) -> bool {
        state.events.len() >= self.limits.messages.max(1) * times
            || state.bytes >= self.limits.bytes.max(1) * times
    }
}

fn wake(mut state: std::sync::MutexGuard<'_, State>) {
    let waker = state.waker.take();
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl From<NotTaken> for SendError {
    fn from(not_taken: NotTaken) -> Self {
        match not_taken {
            NotTaken::Full => Self::Full,
            NotTaken::NoReader | NotTaken::Ended => Self::Closed,
        }
    }
}

/// The client's end of a stream. Dropping it means that the client is gone.
#[derive(Debug)]
pub(super) struct Reader {
    queue: Arc<Queue>,
    number: u64,
}

impl Reader {
    /// The next message; `None` after the last.
    pub(super) fn poll_next(&self, cx: &mut Context<'_>) -> Poll<Option<Result<Event, Lost>>> {
        let mut state = lock(&self.queue.state);
        if state.reader != Some(self.number) {
            return Poll::Ready(Some(Err(Lost)));
        }
        if let Some(event) = state.events.pop_front() {
            state.bytes -= event.text.len();
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
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = lock(&self.queue.state);
        if state.reader == Some(self.number) {
            self.queue.forget_reader(&mut state);
        }
    }
}
