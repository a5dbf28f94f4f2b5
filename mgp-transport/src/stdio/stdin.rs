//! A stdin that does not keep a runtime from ending.

use bytes::{Buf, Bytes};
use std::{
    io::{self, Read},
    pin::Pin,
    task::{Context, Poll, ready},
    thread,
};
use tokio::{
    io::{AsyncRead, ReadBuf},
    sync::mpsc,
};

/// The number of bytes that are read at a time, and the most such chunks that may wait to be taken.
const CHUNK: usize = 64 * 1024;
const CHUNKS: usize = 4;

/// This process's stdin.
///
/// A read of stdin cannot be interrupted. tokio's own stdin reads on a thread of the runtime, which then cannot end while stdin stays
/// open; this type reads on a thread that nothing waits for.
#[derive(Debug)]
pub struct Stdin {
    chunks: mpsc::Receiver<io::Result<Bytes>>,
    current: Bytes,
}

/// Returns this process's stdin. Bytes that another reader of stdin has taken do not arrive here.
#[must_use]
pub fn stdin() -> Stdin {
    from(io::stdin())
}

fn from(mut input: impl Read + Send + 'static) -> Stdin {
    let (send, chunks) = mpsc::channel(CHUNKS);
    let reading = move || {
        let mut buffer = vec![0; CHUNK];
        loop {
            let chunk = match input.read(&mut buffer) {
                Ok(0) => return,
                Ok(n) => Ok(Bytes::copy_from_slice(&buffer[..n])),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            let failed = chunk.is_err();
            if send.blocking_send(chunk).is_err() || failed {
                return;
            }
        }
    };
    if let Err(error) = thread::Builder::new().name("mgp-stdin".to_owned()).spawn(reading) {
        // The sender went with the closure, so the stream ends at once.
        tracing::error!(%error, "stdin cannot be read: no thread");
    }
    Stdin { chunks, current: Bytes::new() }
}

impl AsyncRead for Stdin {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.current.is_empty() {
            match ready!(self.chunks.poll_recv(cx)) {
                Some(chunk) => self.current = chunk?,
                None => return Poll::Ready(Ok(())),
            }
        }
        let n = self.current.len().min(buffer.remaining());
        buffer.put_slice(&self.current[..n]);
        self.current.advance(n);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn every_byte_comes_through_in_order_and_then_the_end() {
        let sent: Vec<u8> = (0..=255).cycle().take(CHUNK * CHUNKS * 3 + 7).collect();
        let mut read = Vec::new();
        from(io::Cursor::new(sent.clone())).read_to_end(&mut read).await.unwrap();
        assert_eq!(read, sent);
    }

    #[tokio::test]
    async fn an_error_is_passed_on_once_and_ends_the_stream() {
        struct BrokenInput;
        impl Read for BrokenInput {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
        let mut stdin = from(BrokenInput);
        assert_eq!(stdin.read_u8().await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(stdin.read(&mut [0]).await.unwrap(), 0);
    }

    #[test]
    fn a_runtime_ends_while_the_input_stays_open() {
        struct OpenInput;
        impl Read for OpenInput {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                loop {
                    thread::park();
                }
            }
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut stdin = from(OpenInput);
            tokio::select! {
                biased;
                _ = stdin.read_u8() => panic!("nothing was written"),
                () = tokio::task::yield_now() => {}
            }
        });
        drop(runtime);
    }
}
