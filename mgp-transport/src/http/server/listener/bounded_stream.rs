//! A byte stream with a time limit for the other side to accept bytes.

use pin_project_lite::pin_project;
use std::{
    future::Future,
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};

pin_project! {
    /// A byte stream that fails if its other side accepts no bytes within the time limit.
    #[derive(Debug)]
    pub(super) struct BoundedStream<S> {
        #[pin]
        stream: S,
        limit: Duration,
        // True while the time limit of writing is running.
        waiting: bool,
        #[pin]
        timer: Sleep,
    }
}

impl<S> BoundedStream<S> {
    pub(super) fn new(stream: S, limit: Duration) -> Self {
        Self { stream, limit, waiting: false, timer: sleep(limit) }
    }

    /// Starts or checks the timer if nothing could be written, and stops it if bytes were written.
    fn check<T>(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let mut this = self.project();
        if written.is_ready() {
            *this.waiting = false;
            return written;
        }
        if !std::mem::replace(this.waiting, true) {
            this.timer.as_mut().reset(Instant::now() + *this.limit);
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
        self.project().stream.poll_read(cx, buffer)
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
        match self.as_mut().project().stream.poll_flush(cx) {
            // A flush writes no bytes, so the timer continues.
            Poll::Ready(flushed) => Poll::Ready(flushed),
            Poll::Pending => self.check(cx, Poll::Pending),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().stream.poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::poll_fn;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    const TIMEOUT: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn only_a_reader_that_accepts_no_bytes_is_lost() {
        let (near, mut far) = tokio::io::duplex(4);
        let mut near = Box::pin(BoundedStream::new(near, TIMEOUT));
        let slow = tokio::spawn(async move {
            for _ in 0..4 {
                sleep(TIMEOUT / 2).await;
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
    async fn an_empty_flush_extends_no_time_limit() {
        let (near, _far) = tokio::io::duplex(4);
        let mut near = Box::pin(BoundedStream::new(near, TIMEOUT));
        near.write_all(&[0; 4]).await.unwrap();
        let before = Instant::now();
        let written = poll_fn(|cx| {
            let written = near.as_mut().poll_write(cx, &[0; 4]);
            assert!(near.as_mut().poll_flush(cx).is_ready());
            written
        });
        let written = tokio::time::timeout(TIMEOUT * 3, written).await.expect("a limit that ends");
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(before.elapsed().as_secs(), 30);
    }
}
