//! A byte stream that counts `Content-Length` in the heads of requests, because the HTTP library drops it if there is a
//! `Transfer-Encoding`.

use http::{
    HeaderMap,
    header::{CONTENT_LENGTH, TRANSFER_ENCODING},
};
use pin_project_lite::pin_project;
use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The beginning of the line of a head.
const NAME: &[u8] = b"content-length:";

/// The number of `Content-Length` lines that were read and not yet assigned to a request. One read may contain the heads of
/// several requests, so each request subtracts only its own line.
///
/// Lines of bodies count too, and so does a second line with the same length. They can only cause the refusal of a request that
/// has a `Transfer-Encoding` and no `Content-Length`, never the opposite. The refusal closes the connection, so the count is
/// wrong for at most one request.
#[derive(Debug, Clone, Default)]
pub(super) struct LengthWatch(Arc<AtomicUsize>);

impl LengthWatch {
    /// Subtracts the length of the next request. Returns whether its head has both a length and a `Transfer-Encoding`.
    pub(super) fn has_two_lengths(&self, headers: &HeaderMap) -> bool {
        let count = self.0.load(Ordering::Relaxed);
        if headers.contains_key(TRANSFER_ENCODING) {
            return count > 0;
        }
        if headers.contains_key(CONTENT_LENGTH) {
            self.0.store(count.saturating_sub(1), Ordering::Relaxed);
        }
        false
    }
}

pin_project! {
    /// A byte stream that counts `Content-Length` in what is read.
    #[derive(Debug)]
    pub(super) struct WatchedStream<S> {
        #[pin]
        stream: S,
        watch: LengthWatch,
        // The number of bytes of the name that the line matches so far; `None` if it does not match.
        matched: Option<usize>,
    }
}

impl<S> WatchedStream<S> {
    pub(super) fn new(stream: S, watch: LengthWatch) -> Self {
        Self { stream, watch, matched: None }
    }
}

/// Continues in a text. Returns the number of lines that begin with the name.
fn count_lengths(matched: &mut Option<usize>, mut bytes: &[u8]) -> usize {
    let mut found = 0;
    while let Some((byte, rest)) = bytes.split_first() {
        // The beginning of most lines is read at once.
        if *matched == Some(0)
            && let Some(start) = bytes.get(..NAME.len())
        {
            found += usize::from(start.eq_ignore_ascii_case(NAME));
            *matched = None;
        }
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
                found += usize::from(byte == NAME[count]);
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
        let found = count_lengths(this.matched, fresh);
        if found > 0 {
            this.watch.0.fetch_add(found, Ordering::Relaxed);
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
    fn each_length_is_counted_once_wherever_the_reads_are_split() {
        let head = b"POST / HTTP/1.1\r\nHost: a\r\nCONTENT-Length: 5\r\n\r\n".repeat(2);
        for cut in 0..head.len() {
            let (mut matched, (one, two)) = (None, head.split_at(cut));
            let found = count_lengths(&mut matched, one) + count_lengths(&mut matched, two);
            assert_eq!(found, 2, "{cut}");
        }
        for other in ["A: content-length: 5", "Content-Lengths: 5", "X-Content-Length: 5", "content-length"] {
            let lines = format!("GET / HTTP/1.1\r\n{other}\r\n\r\n");
            assert_eq!(count_lengths(&mut None, lines.as_bytes()), 0, "{other}");
        }
    }

    #[tokio::test]
    async fn a_request_removes_only_its_own_length_of_a_shared_read() {
        let watch = LengthWatch::default();
        let heads = b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n\
            POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n";
        let mut stream = WatchedStream::new(&heads[..], watch.clone());
        tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut Vec::new()).await.unwrap();
        // The headers as the HTTP library hands them on.
        let headers = |name: http::HeaderName, value: &'static str| {
            HeaderMap::from_iter([(name, http::HeaderValue::from_static(value))])
        };
        assert!(!watch.has_two_lengths(&HeaderMap::new()), "neither");
        assert!(!watch.has_two_lengths(&headers(CONTENT_LENGTH, "0")));
        assert!(watch.has_two_lengths(&headers(TRANSFER_ENCODING, "chunked")));
        let alone = LengthWatch::default();
        assert!(!alone.has_two_lengths(&headers(TRANSFER_ENCODING, "chunked")));
    }
}
