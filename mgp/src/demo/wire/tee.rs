//! A byte stream whose lines are recorded as they go through.

use super::{line::Direction, log::Wire};
use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A byte stream whose lines are recorded as they pass through. The bytes are not changed.
#[derive(Debug)]
pub(in crate::demo) struct Tee<S> {
    inner: S,
    wire: Wire,
    direction: Direction,
    /// The incomplete last line.
    begun: Vec<u8>,
}

impl<S> Tee<S> {
    pub(super) fn new(inner: S, wire: Wire, direction: Direction) -> Self {
        Self { inner, wire, direction, begun: Vec::new() }
    }

    fn record(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            match part.strip_suffix(b"\n") {
                Some(end) => {
                    self.begun.extend_from_slice(end);
                    self.wire.record(self.direction, &self.begun);
                    self.begun.clear();
                }
                None => self.begun.extend_from_slice(part),
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Tee<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        let wire = self.wire.clone();
        let _turn = wire.turn.lock();
        self.record(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Tee<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let wire = self.wire.clone();
        let _turn = wire.turn.lock();
        let written = ready!(Pin::new(&mut self.inner).poll_write(cx, bytes))?;
        self.record(&bytes[..written]);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_transport::memory;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn lines_are_recorded_whole_and_in_order_from_any_chunks() {
        let wire = Wire::default();
        let (ours, mut theirs) = memory::pair();
        let (mut input, mut output) = wire.tap(ours);
        for part in ["{\"a\":", "1}\n{\"b\"", ":2}\n{\"un", "ended"] {
            output.write_all(part.as_bytes()).await.unwrap();
        }
        theirs.1.write_all(b"{\"c\":3}\n").await.unwrap();
        let mut read = [0; 8];
        input.read_exact(&mut read).await.unwrap();
        let lines: Vec<_> = wire.since(0).iter().map(ToString::to_string).collect();
        assert_eq!(lines, ["→ {\"a\":1}", "→ {\"b\":2}", "← {\"c\":3}"]);
        assert_eq!(wire.since(wire.mark()), []);
        let mut arrived = vec![0; 24];
        theirs.0.read_exact(&mut arrived).await.unwrap();
        assert_eq!(arrived, b"{\"a\":1}\n{\"b\":2}\n{\"unende");
    }
}
