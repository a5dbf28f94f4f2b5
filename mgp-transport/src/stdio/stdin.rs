//! A stdin that does not prevent a runtime from ending.

use bytes::Bytes;
use futures_util::stream;
use std::{
    fmt,
    io::{self, Read},
    thread,
};
use tokio::{io::AsyncRead, sync::mpsc};
use tokio_util::io::StreamReader;

/// The number of bytes that are read at a time, and the most such chunks that may wait to be taken.
const CHUNK: usize = 64 * 1024;
const CHUNKS: usize = 4;

/// Returns this process's stdin. Bytes that another reader of stdin has consumed do not arrive here.
///
/// A read of stdin cannot be interrupted. tokio's own stdin reads on a thread of the runtime, which then cannot end while stdin
/// stays open; this one reads on a thread that is never awaited.
#[must_use]
pub fn stdin() -> impl AsyncRead + fmt::Debug + Send + Unpin + use<> {
    from(io::stdin())
}

fn from<R: Read + Send + 'static>(mut input: R) -> impl AsyncRead + fmt::Debug + Send + Unpin + use<R> {
    let (send, mut chunks) = mpsc::channel(CHUNKS);
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
        // The sender was dropped with the closure, so the stream ends at once.
        tracing::error!(%error, "stdin cannot be read: no thread");
    }
    StreamReader::new(stream::poll_fn(move |cx| chunks.poll_recv(cx)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn every_byte_arrives_in_order_before_the_end() {
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
