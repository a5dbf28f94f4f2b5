//! A byte stream that notices `Content-Length` in the heads of requests, because the HTTP library drops one beside a `Transfer-Encoding`.

use pin_project_lite::pin_project;
use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The beginning of the line of a head.
const NAME: &[u8] = b"content-length:";

/// The mark of a `Content-Length` that was read since the last request began. The body of that request counts too: its lines could look like
/// one, and then only a request with a `Transfer-Encoding` is refused that was sent before the answer.
#[derive(Debug, Clone, Default)]
pub(super) struct LengthWatch(Arc<AtomicBool>);

impl LengthWatch {
    /// Returns whether one was read, and begins anew.
    pub(super) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

pin_project! {
    /// A byte stream that notices `Content-Length` in what is read.
    #[derive(Debug)]
    pub(super) struct WatchedStream<S> {
        #[pin]
        stream: S,
        watch: LengthWatch,
        // The bytes of the name that the line begins with; `None` in a line that begins otherwise.
        matched: Option<usize>,
    }
}

impl<S> WatchedStream<S> {
    pub(super) fn new(stream: S, watch: LengthWatch) -> Self {
        Self { stream, watch, matched: None }
    }
}

/// Reads on in a text, and returns whether a line begins with the name.
fn has_length(matched: &mut Option<usize>, mut bytes: &[u8]) -> bool {
    let mut found = false;
    while let Some((byte, rest)) = bytes.split_first() {
        let Some(count) = *matched else {
            let Some(end) = memchr::memchr(b'\n', bytes) else { break };
            (*matched, bytes) = (Some(0), &bytes[end + 1..]);
            continue;
        };
        bytes = rest;
        *matched = match byte.to_ascii_lowercase() {
            b'\n' => Some(0),
            byte if byte == NAME[count] && count + 1 < NAME.len() => Some(count + 1),
            byte => {
                found |= byte == NAME[count];
                None
            }
        };
    }
    found
}

impl<S: AsyncRead> AsyncRead for WatchedStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.project();
        let before = buffer.filled().len();
        let read = this.stream.poll_read(cx, buffer);
        let fresh = buffer.filled().get(before..).unwrap_or_default();
        if has_length(this.matched, fresh) {
            this.watch.0.store(true, Ordering::Relaxed);
        }
        read
    }
}

impl<S: AsyncWrite> AsyncWrite for WatchedStream<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.project().stream.poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.project().stream.poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().stream.poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().stream.poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_noticed_wherever_the_reads_are_cut() {
        let head = b"POST / HTTP/1.1\r\nHost: a\r\nCONTENT-Length: 5\r\n\r\n";
        for cut in 0..head.len() {
            let (mut matched, (one, two)) = (None, head.split_at(cut));
            let found = [has_length(&mut matched, one), has_length(&mut matched, two)];
            assert!(found.contains(&true), "{cut}");
        }
        for other in ["A: content-length: 5", "Content-Lengths: 5", "X-Content-Length: 5", "content-length"] {
            let lines = format!("GET / HTTP/1.1\r\n{other}\r\n\r\n");
            assert!(!has_length(&mut None, lines.as_bytes()), "{other}");
        }
    }
}
