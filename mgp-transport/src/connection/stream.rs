//! The outbound side of a byte stream: one buffer, written by each sender.

use super::{Body, ConnectionError, Outbound, Outgoing, SendError, stream_pieces::WaitingPieces};
use crate::{long_text::LongTexts, sync::wait_until};
use futures_core::future::BoxFuture;
use parking_lot::Mutex;
use std::{
    fmt,
    future::poll_fn,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::Notify,
};

/// A byte stream to the other side, with one message per line.
///
/// While the stream accepts bytes, each sender writes to it directly, which saves waking a task for each message. Otherwise
/// messages stay in the buffer, and [`ByteSink::drive`] writes them once the stream accepts bytes again.
pub(super) struct ByteSink {
    state: Mutex<State>,
    /// Notifies when there may be room, when everything is written, and when the sink is closed.
    changed: Notify,
    capacity: usize,
    /// The long strings of the calls on the connection.
    long: LongTexts,
}

struct State {
    /// `None` once the driver has ended.
    io: Option<Pin<Box<dyn AsyncWrite + Send>>>,
    buffer: Vec<u8>,
    written: usize,
    /// The lines that follow the buffer: the first has long strings that are not in memory.
    later: WaitingPieces,
    /// Bytes of urgent messages since the buffer was last empty.
    urgent: usize,
    /// True if the stream accepts no bytes now. It wakes `driver` once it accepts some.
    blocked: bool,
    driver: Option<Waker>,
    closed: bool,
    failed: Option<ConnectionError>,
    /// The number of bytes that the stream has taken, to distinguish a slow peer from one that reads nothing.
    progress: u64,
}

impl ByteSink {
    pub(super) fn new(io: impl AsyncWrite + Send + 'static, capacity: usize) -> Arc<Self> {
        let state = State {
            io: Some(Box::pin(io)),
            buffer: Vec::with_capacity(4096),
            written: 0,
            later: WaitingPieces::default(),
            urgent: 0,
            blocked: false,
            driver: None,
            closed: false,
            failed: None,
            progress: 0,
        };
        // Without any room, no sender could ever send.
        let (state, changed, long) = (Mutex::new(state), Notify::new(), LongTexts::default());
        Arc::new(Self { state, changed, capacity: capacity.max(1), long })
    }

    /// Writes the bytes that senders could not write. Returns when the stream fails, or once the sink is closed and everything is
    /// written.
    pub(super) async fn drive(&self, timeout: Duration) -> Result<(), ConnectionError> {
        let result = self.write_on(timeout).await;
        let io = self.state.lock().io.take();
        self.changed.notify_waiters();
        if let Some(mut io) = io {
            // The other side sees the end of the stream even if a handle on this connection lives on.
            let _ = tokio::time::timeout(timeout, io.shutdown()).await;
        }
        result
    }

    async fn write_on(&self, timeout: Duration) -> Result<(), ConnectionError> {
        loop {
            let before = match self.wait(|state| state.blocked).await {
                Drive::Ended(result) => return result,
                Drive::GoesOn { progress } => progress,
            };
            let moves = self.wait(|state| !state.blocked || state.progress != before);
            match tokio::time::timeout(timeout, moves).await {
                Ok(Drive::Ended(result)) => return result,
                Ok(Drive::GoesOn { .. }) => {}
                Err(_) => {
                    let error = ConnectionError::WriteTimeout(timeout);
                    self.state.lock().fail(error.clone());
                    return Err(error);
                }
            }
        }
    }

    /// Writes as much as possible each time the stream or a sender wakes the driver, until the state satisfies `until`.
    async fn wait(&self, until: impl Fn(&State) -> bool) -> Drive {
        poll_fn(|cx| {
            let mut state = self.state.lock();
            if !state.driver.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
                state.driver = Some(cx.waker().clone());
            }
            state.blocked = false;
            state.write();
            let drive = if let Some(error) = &state.failed {
                Poll::Ready(Drive::Ended(Err(error.clone())))
            } else if state.closed && state.is_empty() && !state.blocked {
                Poll::Ready(Drive::Ended(Ok(())))
            } else if until(&state) {
                Poll::Ready(Drive::GoesOn { progress: state.progress })
            } else {
                Poll::Pending
            };
            drop(state);
            self.changed.notify_waiters();
            drive
        })
        .await
    }
}

/// The number of written bytes from which on they are removed from the buffer. Below it, moving the unwritten bytes costs more than
/// the freed memory is worth.
const FREED_AT: usize = 64 * 1024;

enum Drive {
    GoesOn { progress: u64 },
    Ended(Result<(), ConnectionError>),
}

impl State {
    fn is_empty(&self) -> bool {
        self.written == self.buffer.len() && self.later.is_empty()
    }

    /// Returns the number of bytes in memory that wait to be written.
    fn waiting(&self) -> usize {
        self.buffer.len() - self.written + self.later.in_memory()
    }

    /// Moves the lines that follow the buffer into it, once the buffer is written.
    fn refill(&mut self) {
        while self.written == self.buffer.len() && !self.later.is_empty() {
            self.buffer.clear();
            self.written = 0;
            if let Err(error) = self.later.take(&mut self.buffer) {
                // Part of the message is already sent, so the other side could not read a following message.
                return self.fail(ConnectionError::Write(Arc::new(error)));
            }
        }
    }

    fn fail(&mut self, error: ConnectionError) {
        self.failed.get_or_insert(error);
        self.buffer = Vec::new();
        self.written = 0;
        self.later = WaitingPieces::default();
    }

    /// Removes written bytes from the buffer. Without this, a buffer that senders keep filling is never empty, and only grows.
    fn free_written(&mut self) {
        if self.written >= FREED_AT && self.written >= self.buffer.len() / 2 {
            self.buffer.drain(..self.written);
            self.written = 0;
        }
    }

    /// Writes while the stream accepts bytes. The stream wakes the driver's task.
    fn write(&mut self) {
        let Some(waker) = self.driver.clone() else { return };
        let Some(mut io) = self.io.take() else { return };
        self.write_to(io.as_mut(), &waker);
        self.io = Some(io);
    }

    fn write_to(&mut self, mut io: Pin<&mut (dyn AsyncWrite + Send)>, waker: &Waker) {
        let cx = &mut Context::from_waker(waker);
        while !self.blocked && self.failed.is_none() && !self.is_empty() {
            self.refill();
            if self.failed.is_some() {
                break;
            }
            match io.as_mut().poll_write(cx, &self.buffer[self.written..]) {
                Poll::Ready(Ok(0)) => {
                    self.fail(ConnectionError::Write(Arc::new(io::ErrorKind::WriteZero.into())));
                }
                Poll::Ready(Ok(n)) => {
                    self.written += n;
                    self.progress += n as u64;
                    self.urgent = self.urgent.saturating_sub(n);
                    self.free_written();
                }
                Poll::Ready(Err(error)) => self.fail(ConnectionError::Write(Arc::new(error))),
                Poll::Pending => self.blocked = true,
            }
        }
        if self.is_empty() {
            self.buffer.clear();
            self.written = 0;
            self.urgent = 0;
            // A large message must not keep its memory for the life of the connection.
            if self.buffer.capacity() > 256 * 1024 {
                self.buffer.shrink_to(4096);
            }
            if !self.blocked && self.failed.is_none() {
                match io.as_mut().poll_flush(cx) {
                    Poll::Ready(Ok(())) => {}
                    Poll::Ready(Err(error)) => self.fail(ConnectionError::Write(Arc::new(error))),
                    Poll::Pending => self.blocked = true,
                }
            }
        }
    }
}

impl Outbound for ByteSink {
    fn try_send(&self, message: &Outgoing<'_>) -> Result<(), SendError> {
        if matches!(message.body, Body::Silence { .. }) {
            return Ok(());
        }
        let mut state = self.state.lock();
        if state.closed || state.failed.is_some() {
            return Err(SendError::Closed);
        }
        let before = state.waiting();
        if !message.urgent && before >= self.capacity {
            return Err(SendError::Full);
        }
        let texts = match &message.body {
            Body::Request { id, .. } => self.long.sent(id),
            _ => Vec::new(),
        };
        if texts.is_empty() && state.later.is_empty() {
            message.body.write(&mut state.buffer);
            state.buffer.push(b'\n');
        } else {
            let mut line = Vec::new();
            message.body.write(&mut line);
            line.push(b'\n');
            state.later.push(&line, &texts);
        }
        if message.urgent {
            state.urgent += state.waiting() - before;
            if state.urgent > self.capacity {
                let error = ConnectionError::Unread(state.urgent);
                state.fail(error);
            }
        }
        if state.blocked && state.failed.is_none() {
            return Ok(());
        }
        state.write();
        // The driver starts its time limit when the stream stops accepting bytes, and reports failures.
        let driver = (state.blocked || state.failed.is_some()).then(|| state.driver.clone()).flatten();
        drop(state);
        if let Some(driver) = driver {
            driver.wake();
        }
        Ok(())
    }

    fn room(&self, _: &Outgoing<'_>) -> BoxFuture<'_, ()> {
        Box::pin(wait_until(&self.changed, || {
            let state = self.state.lock();
            state.waiting() < self.capacity || state.closed || state.failed.is_some()
        }))
    }

    fn flush(&self) -> BoxFuture<'_, ()> {
        Box::pin(wait_until(&self.changed, || {
            let state = self.state.lock();
            (state.is_empty() && !state.blocked) || state.failed.is_some()
        }))
    }

    fn long_texts(&self) -> Option<&LongTexts> {
        Some(&self.long)
    }

    fn close(&self, _: &ConnectionError) {
        let driver = {
            let mut state = self.state.lock();
            state.closed = true;
            state.driver.clone()
        };
        if let Some(driver) = driver {
            driver.wake();
        }
        self.changed.notify_waiters();
    }
}

impl fmt::Debug for ByteSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByteSink").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
