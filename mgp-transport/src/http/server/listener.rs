//! TCP connections within bounds: how many there are, and how long one may take no bytes or do nothing.

use axum::serve::Listener;
use pin_project_lite::pin_project;
use std::{
    future::Future,
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, Sleep, sleep},
};

/// Accepts TCP connections within bounds.
#[derive(Debug)]
pub(super) struct BoundedListener {
    listener: TcpListener,
    room: Arc<Semaphore>,
    limits: TimeLimits,
}

/// How long a TCP connection may do nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeLimits {
    /// Take none of the bytes that wait for it.
    pub(super) write: Duration,
    /// Neither send nor take anything.
    pub(super) idle: Option<Duration>,
}

impl BoundedListener {
    pub(super) fn new(listener: TcpListener, connections: usize, limits: TimeLimits) -> Self {
        let room = Arc::new(Semaphore::new(connections.clamp(1, Semaphore::MAX_PERMITS)));
        Self { listener, room, limits }
    }
}

impl Listener for BoundedListener {
    type Io = Pin<Box<BoundedStream<TcpStream>>>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        // Nobody closes the semaphore; without a permit there is just no bound.
        let permit = self.room.clone().acquire_owned().await.ok();
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // Messages are small and each is waited for.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "failed to set TCP_NODELAY");
        }
        (Box::pin(BoundedStream::new(stream, self.limits, permit)), address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

pin_project! {
    /// A byte stream that fails once its other side takes no bytes, or does nothing, for the time limit.
    #[derive(Debug)]
    pub(super) struct BoundedStream<S> {
        #[pin]
        stream: S,
        limits: TimeLimits,
        // Whether the time of writing is running.
        waiting: bool,
        #[pin]
        timer: Sleep,
        last_active: Instant,
        #[pin]
        idle_timer: Sleep,
        _permit: Option<OwnedSemaphorePermit>,
    }
}

impl<S> BoundedStream<S> {
    fn new(stream: S, limits: TimeLimits, permit: Option<OwnedSemaphorePermit>) -> Self {
        Self {
            stream,
            limits,
            waiting: false,
            timer: sleep(limits.write),
            last_active: Instant::now(),
            idle_timer: sleep(limits.idle.unwrap_or_default()),
            _permit: permit,
        }
    }

    /// Starts or checks the time where nothing could be written, and stops it where something was.
    fn check<T>(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let mut this = self.project();
        if written.is_ready() {
            *this.waiting = false;
            *this.last_active = Instant::now();
            return written;
        }
        if !std::mem::replace(this.waiting, true) {
            this.timer.as_mut().reset(Instant::now() + this.limits.write);
        }
        match this.timer.poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead> AsyncRead for BoundedStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut this = self.project();
        let read = this.stream.poll_read(cx, buffer);
        if read.is_ready() {
            *this.last_active = Instant::now();
            return read;
        }
        let Some(limit) = this.limits.idle else { return Poll::Pending };
        while this.idle_timer.as_mut().poll(cx).is_ready() {
            let deadline = *this.last_active + limit;
            if deadline <= Instant::now() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            this.idle_timer.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}

impl<S: AsyncWrite> AsyncWrite for BoundedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = self.as_mut().project().stream.poll_write(cx, bytes);
        self.check(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = self.as_mut().project().stream.poll_write_vectored(cx, slices);
        self.check(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = self.as_mut().project().stream.poll_flush(cx);
        self.check(cx, flushed)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().stream.poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_takes_bytes_is_slow_and_one_that_takes_none_is_lost() {
        let (near, mut far) = tokio::io::duplex(4);
        let limit = Duration::from_secs(30);
        let limits = TimeLimits { write: limit, idle: None };
        let mut near = Box::pin(BoundedStream::new(near, limits, None));
        let slow = tokio::spawn(async move {
            for _ in 0..4 {
                sleep(limit / 2).await;
                far.read_exact(&mut [0; 4]).await.unwrap();
            }
            far
        });
        near.write_all(&[0; 20]).await.unwrap();
        let _far = slow.await.unwrap();
        let before = Instant::now();
        assert_eq!(near.write_all(&[0; 8]).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(before.elapsed().as_secs(), 30);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_on_which_nothing_happens_is_closed_and_one_that_is_written_to_is_not() {
        let (near, _far) = tokio::io::duplex(1000);
        let limits = TimeLimits { write: Duration::from_secs(30), idle: Some(Duration::from_secs(60)) };
        let (mut reader, mut writer) = tokio::io::split(Box::pin(BoundedStream::new(near, limits, None)));
        let before = Instant::now();
        let read = tokio::spawn(async move { reader.read(&mut [0; 8]).await });
        for _ in 0..10 {
            sleep(Duration::from_secs(40)).await;
            writer.write_all(b":\n\n").await.unwrap();
        }
        assert_eq!(read.await.unwrap().unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(before.elapsed().as_secs(), 460);
    }
}
