//! A connection over a Unix socket.

use super::length::check_length;
use pin_project_lite::pin_project;
use std::{
    io,
    os::{
        fd::{AsFd, BorrowedFd},
        unix,
    },
    path::Path,
    pin::Pin,
    task::{Context, Poll},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf, ReadHalf, WriteHalf},
    net::UnixStream,
};

pin_project! {
    /// A connection over a Unix socket.
    #[derive(Debug)]
    pub struct LocalStream {
        #[pin]
        pub(super) inner: UnixStream,
    }
}

impl LocalStream {
    pub(super) const fn new(inner: UnixStream) -> Self {
        Self { inner }
    }

    /// Connects to a socket.
    ///
    /// # Errors
    /// Returns `ConnectionRefused` if the listener is gone, `NotFound` without a file, `InvalidFilename` if the path is longer
    /// than [`MAX_PATH`](super::MAX_PATH), or another error of the system.
    pub async fn connect(path: &Path) -> io::Result<Self> {
        check_length(path)?;
        UnixStream::connect(path).await.map(Self::new)
    }

    /// Continues a connection that this process has inherited. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// Returns an error if the socket cannot be polled.
    pub fn from_std(stream: unix::net::UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        UnixStream::from_std(stream).map(Self::new)
    }

    /// Returns the id of the account that the other side's process runs as.
    ///
    /// # Errors
    /// Returns an error if the system does not supply the account.
    pub fn account(&self) -> io::Result<u32> {
        Ok(self.inner.peer_cred()?.uid())
    }

    /// Splits the connection for [`Connection`](crate::connection::Connection).
    #[must_use]
    pub fn split(self) -> (ReadHalf<Self>, WriteHalf<Self>) {
        tokio::io::split(self)
    }
}

/// Returns the id of the account that this process runs as.
///
/// # Errors
/// Returns an error if the system cannot open a pair of sockets.
pub fn own_account() -> io::Result<u32> {
    let (one, _other) = UnixStream::pair()?;
    LocalStream::new(one).account()
}

impl AsFd for LocalStream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inner.as_fd()
    }
}

impl AsyncRead for LocalStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.project().inner.poll_read(cx, buffer)
    }
}

impl AsyncWrite for LocalStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.project().inner.poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().inner.poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().inner.poll_shutdown(cx)
    }
}
