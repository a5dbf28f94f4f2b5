//! Lines of byte streams.

use super::{RawConnection, RawEvent, raw_connection::WAITING};
use crate::codec::LineReader;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    sync::mpsc,
    task::JoinSet,
};

impl RawConnection {
    /// Creates a connection over a pair of byte streams. A line of the other side that is longer than `max` bytes is skipped.
    #[must_use]
    pub fn over(
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
        max: usize,
    ) -> Self {
        let (outgoing, texts) = mpsc::channel(WAITING);
        let (sender, events) = mpsc::channel(WAITING);
        let mut tasks = JoinSet::new();
        tasks.spawn(write(output, texts));
        tasks.spawn(read(LineReader::new(input, max), sender));
        Self {
            outgoing,
            events,
            tasks,
            #[cfg(feature = "http-client")]
            version: std::sync::Arc::default(),
            #[cfg(feature = "child")]
            process: None,
        }
    }
}

async fn write(mut output: impl AsyncWrite + Unpin, mut texts: mpsc::Receiver<String>) {
    while let Some(mut text) = texts.recv().await {
        text.push('\n');
        if output.write_all(text.as_bytes()).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
    let _ = output.shutdown().await;
}

async fn read(mut lines: LineReader<impl AsyncRead + Unpin>, events: mpsc::Sender<RawEvent>) {
    loop {
        let event = match lines.next().await {
            Ok(Some(Ok(line))) => RawEvent::Text(line),
            Ok(Some(Err(_))) => RawEvent::TooLong,
            Ok(None) => RawEvent::Closed("the other side closed its output".to_owned()),
            Err(error) => RawEvent::Closed(error.to_string()),
        };
        let is_last = matches!(event, RawEvent::Closed(_));
        if events.send(event).await.is_err() || is_last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory;
    use std::time::Duration;
    use tokio::time::Instant;

    const LONG: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn texts_arrive_as_written_and_the_end_is_reported_once() {
        let (here, mut there) = memory::pair();
        let mut connection = RawConnection::over(here.0, here.1, 16);
        assert!(connection.send("no { message", LONG).await);
        there.1.write_all(b"{\"also\": none\r\n12345678901234567890\n\nlast").await.unwrap();
        there.1.shutdown().await.unwrap();
        let mut events = Vec::new();
        while let Some(event) = connection.next(Instant::now() + LONG).await {
            events.push(event);
        }
        let text = |text: &'static str| RawEvent::Text(text.as_bytes().into());
        assert_eq!(events[..3], [text("{\"also\": none"), RawEvent::TooLong, text("last")]);
        assert!(matches!(events[3..], [RawEvent::Closed(_)]), "{events:?}");
        let mut read = vec![0; 13];
        tokio::io::AsyncReadExt::read_exact(&mut there.0, &mut read).await.unwrap();
        assert_eq!(read, b"no { message\n");
    }

    #[tokio::test(start_paused = true)]
    async fn a_side_that_neither_reads_nor_writes_blocks_nobody() {
        let (here, _there) = memory::pair();
        let mut connection = RawConnection::over(here.0, here.1, 16);
        assert_eq!(connection.next(Instant::now() + LONG).await, None);
        let long = "x".repeat(1 << 16);
        let mut sent = 0;
        while connection.send(long.clone(), LONG).await {
            sent += 1;
            assert!(sent < 2 * WAITING, "sending has no bound");
        }
    }
}
