//! The outbound side of a byte stream: one buffer, written by whoever has something to send.

use super::{Body, ConnectionError, Outbound, Outgoing, SendError};
use crate::sync::{lock, wait_until};
use futures_core::future::BoxFuture;
use std::{
    fmt,
    future::poll_fn,
    io,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    time::Duration,
};
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::Notify,
};

/// A byte stream to the other side, one line a message.
///
/// A sender writes to the stream itself while it takes bytes, which saves waking a task for each message. Once it takes none,
/// messages stay in the buffer and [`ByteSink::drive`] goes on when it does again.
pub(super) struct ByteSink {
    state: Mutex<State>,
    /// Rings when there may be room, when everything is written, and when the sink is closed.
    changed: Notify,
    capacity: usize,
}

struct State {
    /// None once the driver has ended.
    io: Option<Pin<Box<dyn AsyncWrite + Send>>>,
    buffer: Vec<u8>,
    written: usize,
    /// Bytes of urgent messages since the buffer was last empty.
    urgent: usize,
    /// The stream takes no bytes now; it wakes `driver` when it does.
    blocked: bool,
    driver: Option<Waker>,
    closed: bool,
    failed: Option<ConnectionError>,
    /// Counts bytes taken by the stream, to tell a slow peer from one that takes nothing.
    progress: u64,
}

impl ByteSink {
    pub(super) fn new(io: impl AsyncWrite + Send + 'static, capacity: usize) -> Arc<Self> {
        let state = State {
            io: Some(Box::pin(io)),
            buffer: Vec::with_capacity(4096),
            written: 0,
            urgent: 0,
            blocked: false,
            driver: None,
            closed: false,
            failed: None,
            progress: 0,
        };
        // Without any room, nobody would ever send.
        Arc::new(Self { state: Mutex::new(state), changed: Notify::new(), capacity: capacity.max(1) })
    }

    /// Writes what senders could not. Ends when the stream fails, or after it was closed and everything is written.
    pub(super) async fn drive(&self, time_limit: Duration) -> Result<(), ConnectionError> {
        let result = self.write_on(time_limit).await;
        let io = lock(&self.state).io.take();
        self.changed.notify_waiters();
        if let Some(mut io) = io {
            // The other side reads the end even where a handle on this connection lives on.
            let _ = tokio::time::timeout(time_limit, io.shutdown()).await;
        }
        result
    }

    async fn write_on(&self, time_limit: Duration) -> Result<(), ConnectionError> {
        loop {
            let before = match self.wait(|state| state.blocked).await {
                Drive::Ended(result) => return result,
                Drive::GoesOn { progress } => progress,
            };
            let moves = self.wait(|state| !state.blocked || state.progress != before);
            match tokio::time::timeout(time_limit, moves).await {
                Ok(Drive::Ended(result)) => return result,
                Ok(Drive::GoesOn { .. }) => {}
                Err(_) => {
                    let error = ConnectionError::WriteTimeLimit(time_limit);
                    lock(&self.state).fail(error.clone());
                    return Err(error);
                }
            }
        }
    }

    /// Writes what can be written each time the stream or a sender wakes it, until the state is as asked.
    async fn wait(&self, until: impl Fn(&State) -> bool) -> Drive {
        poll_fn(|cx| {
            let mut state = lock(&self.state);
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

/// How many written bytes are kept in front of the unwritten ones; moving these costs more than it gives back before.
const FREED_AT: usize = 64 * 1024;

enum Drive {
    GoesOn { progress: u64 },
    Ended(Result<(), ConnectionError>),
}

impl State {
    fn is_empty(&self) -> bool {
        self.written == self.buffer.len()
    }

    fn fail(&mut self, error: ConnectionError) {
        self.failed.get_or_insert(error);
        self.buffer = Vec::new();
        self.written = 0;
    }

    /// Gives back what was written. A buffer that senders always fill again is never empty, and would only grow.
    fn free_written(&mut self) {
        if self.written >= FREED_AT && self.written >= self.buffer.len() / 2 {
            self.buffer.drain(..self.written);
            self.written = 0;
        }
    }

    /// Writes while the stream takes bytes. The driver's task is the one that the stream wakes.
    fn write(&mut self) {
        let Some(waker) = self.driver.clone() else { return };
        let Some(mut io) = self.io.take() else { return };
        self.write_to(io.as_mut(), &waker);
        self.io = Some(io);
    }

    fn write_to(&mut self, mut io: Pin<&mut (dyn AsyncWrite + Send)>, waker: &Waker) {
        let cx = &mut Context::from_waker(waker);
        while !self.blocked && self.failed.is_none() && !self.is_empty() {
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
        let mut state = lock(&self.state);
        if state.closed || state.failed.is_some() {
            return Err(SendError::Closed);
        }
        let before = state.buffer.len();
        if !message.urgent && before - state.written >= self.capacity {
            return Err(SendError::Full);
        }
        message.body.write(&mut state.buffer);
        state.buffer.push(b'\n');
        if message.urgent {
            state.urgent += state.buffer.len() - before;
            if state.urgent > self.capacity {
                let error = ConnectionError::Unread(state.urgent);
                state.fail(error);
            }
        }
        if state.blocked && state.failed.is_none() {
            return Ok(());
        }
        state.write();
        // The driver starts its time limit when the stream stops taking bytes, and reports what failed.
        let driver = (state.blocked || state.failed.is_some()).then(|| state.driver.clone()).flatten();
        drop(state);
        if let Some(driver) = driver {
            driver.wake();
        }
        Ok(())
    }

    fn room(&self, _: &Outgoing<'_>) -> BoxFuture<'_, ()> {
        Box::pin(wait_until(&self.changed, || {
            let state = lock(&self.state);
            let waiting = state.buffer.len() - state.written;
            waiting < self.capacity || state.closed || state.failed.is_some()
        }))
    }

    fn flush(&self) -> BoxFuture<'_, ()> {
        Box::pin(wait_until(&self.changed, || {
            let state = lock(&self.state);
            (state.is_empty() && !state.blocked) || state.failed.is_some()
        }))
    }

    fn close(&self, _: &ConnectionError) {
        let driver = {
            let mut state = lock(&self.state);
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
