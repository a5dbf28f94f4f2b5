//! A cancellable input.

use pin_project_lite::pin_project;
use std::{
    future::Future,
    io,
    pin::Pin,
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

pin_project! {
    /// A reader that reports the end of the input once a token is cancelled, as if the other side had closed it.
    pub(crate) struct CancellableReader<R> {
        #[pin]
        inner: R,
        end: Pin<Box<WaitForCancellationFutureOwned>>,
    }
}

impl<R> CancellableReader<R> {
    pub(crate) fn new(inner: R, end: CancellationToken) -> Self {
        Self { inner, end: Box::pin(end.cancelled_owned()) }
    }
}

impl<R: AsyncRead> AsyncRead for CancellableReader<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.project();
        if this.end.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        this.inner.poll_read(cx, buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn the_input_ends_with_the_token_even_while_it_is_silent() {
        let (mut far, near) = tokio::io::duplex(16);
        let end = CancellationToken::new();
        let mut near = CancellableReader::new(near, end.clone());
        tokio::io::AsyncWriteExt::write_all(&mut far, b"ab").await.unwrap();
        let mut buffer = [0; 2];
        near.read_exact(&mut buffer).await.unwrap();
        let rest = tokio::spawn(async move { near.read(&mut [0; 2]).await });
        end.cancel();
        assert_eq!((&buffer, rest.await.unwrap().unwrap()), (b"ab", 0));
        drop(far);
    }
}
