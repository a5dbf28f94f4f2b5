//! Tests of the buffer, and of the order in which senders and the driver write.

use super::*;
use crate::connection::Route;
use futures_util::FutureExt;
use mgp_types::rpc::{Method, RawParams};
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::AsyncReadExt;

/// A stream that takes everything, or fails, and counts its flushes.
struct CountingStream {
    fails: bool,
    flushed: Arc<AtomicUsize>,
}

impl AsyncWrite for CountingStream {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(if self.fails { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(bytes.len()) })
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.flushed.fetch_add(1, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Returns a sink whose driver never ran, with a number of bytes in its buffer.
fn sink(io: impl AsyncWrite + Send + 'static, bytes: usize) -> Arc<ByteSink> {
    let sink = ByteSink::new(io, 1024);
    sink.state.lock().buffer = vec![b'x'; bytes];
    sink
}

/// Returns the length of a buffer, and its count of written bytes, after written bytes were removed.
fn left(bytes: usize, written: usize) -> (usize, usize) {
    let sink = sink(tokio::io::sink(), bytes);
    let mut state = sink.state.lock();
    state.written = written;
    state.free_written();
    (state.buffer.len(), state.written)
}

#[test]
fn written_bytes_are_freed_once_they_are_half_of_the_buffer() {
    assert_eq!(left(131_070, 65_535), (131_070, 65_535), "few");
    assert_eq!(left(131_072, 65_536), (65_536, 0));
    assert_eq!(left(131_074, 65_536), (131_074, 65_536), "less than half: moving the rest costs more");
    assert_eq!(left(200_000, 150_000), (50_000, 0));
}

/// Writes the buffer of a sink. Returns the sink and the number of flushes of its stream.
fn written(fails: bool, bytes: usize) -> (Arc<ByteSink>, usize) {
    let flushed = Arc::new(AtomicUsize::new(0));
    let sink = sink(CountingStream { fails, flushed: flushed.clone() }, bytes);
    {
        let mut state = sink.state.lock();
        state.driver = Some(Waker::noop().clone());
        state.write();
    }
    (sink, flushed.load(Ordering::Relaxed))
}

#[test]
fn the_stream_is_flushed_after_writing_unless_it_failed() {
    let (sink, flushed) = written(false, 1000);
    let state = sink.state.lock();
    assert_eq!((flushed, state.progress, state.is_empty()), (1, 1000, true));
    drop(state);
    let (sink, flushed) = written(true, 1000);
    assert!(flushed == 0 && sink.state.lock().failed.is_some());
}

#[test]
fn only_a_large_message_s_memory_is_freed() {
    let kept = |bytes| written(false, bytes).0.state.lock().buffer.capacity();
    assert_eq!(kept(100_000), 100_000);
    assert_eq!(kept(262_144), 262_144);
    assert!(kept(262_145) <= 8192);
}

fn send(sink: &ByteSink, text: &'static str) -> Result<(), SendError> {
    send_with(sink, text, false)
}

fn send_with(sink: &ByteSink, text: &'static str, urgent: bool) -> Result<(), SendError> {
    let (method, params) = (Method::from(text), RawParams::none());
    let body = Body::Notification { method: &method, params: &params };
    sink.try_send(&Outgoing { route: &Route::Session, body, urgent })
}

#[test]
fn nothing_is_accepted_after_the_end() {
    let sink = sink(tokio::io::sink(), 0);
    assert!(send(&sink, "x").is_ok());
    sink.close(&ConnectionError::Closed);
    assert!(matches!(send(&sink, "x"), Err(SendError::Closed)));
    let (failed, _) = written(true, 1);
    assert!(matches!(send(&failed, "x"), Err(SendError::Closed)));
}

#[test]
fn mandatory_messages_may_fill_the_buffer_and_no_more() {
    let line = "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n".len();
    let sink = ByteSink::new(tokio::io::sink(), line);
    sink.state.lock().blocked = true;
    send_with(&sink, "x", true).unwrap();
    assert!(sink.state.lock().failed.is_none());
    assert_eq!(sink.state.lock().buffer.len(), line);
    assert!(matches!(send(&sink, "x"), Err(SendError::Full)));
    send_with(&sink, "x", true).unwrap();
    assert!(matches!(sink.state.lock().failed, Some(ConnectionError::Unread(bytes)) if bytes == 2 * line));
}

#[test]
fn there_is_room_while_less_than_the_buffer_is_queued() {
    let sink = sink(tokio::io::sink(), 1500);
    let (method, params) = (Method::from("x"), RawParams::none());
    let body = Body::Notification { method: &method, params: &params };
    let message = Outgoing { route: &Route::Session, body, urgent: false };
    for (written, room) in [(0, false), (476, false), (477, true), (1500, true)] {
        sink.state.lock().written = written;
        assert_eq!(sink.room(&message).now_or_never().is_some(), room, "{written}");
    }
}

#[test]
fn everything_written_is_flushed_once_the_stream_accepts_it() {
    for (written, blocked, flushed) in
        [(0, false, false), (1500, true, false), (0, true, false), (1500, false, true)]
    {
        let sink = sink(tokio::io::sink(), 1500);
        {
            let mut state = sink.state.lock();
            (state.written, state.blocked) = (written, blocked);
        }
        assert_eq!(sink.flush().now_or_never().is_some(), flushed, "{written} {blocked}");
    }
}

#[test]
fn nobody_waits_for_an_ended_sink() {
    let ready = |end: fn(&mut State)| {
        let sink = sink(tokio::io::sink(), 1500);
        {
            let mut state = sink.state.lock();
            state.blocked = true;
            end(&mut state);
        }
        let (method, params) = (Method::from("x"), RawParams::none());
        let body = Body::Notification { method: &method, params: &params };
        let message = Outgoing { route: &Route::Session, body, urgent: false };
        (sink.room(&message).now_or_never().is_some(), sink.flush().now_or_never().is_some())
    };
    assert_eq!(ready(|_| {}), (false, false));
    assert_eq!(ready(|state| state.closed = true), (true, false), "what is taken is still written");
    assert_eq!(ready(|state| state.failed = Some(ConnectionError::Closed)), (true, true));
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_reads_slowly_keeps_its_connection() {
    let (near, mut far) = tokio::io::duplex(1);
    let sink = ByteSink::new(near, 1024);
    let driving = tokio::spawn({
        let sink = sink.clone();
        async move { sink.drive(Duration::from_millis(50)).await }
    });
    tokio::task::yield_now().await;
    send(&sink, "a message").unwrap();
    sink.close(&ConnectionError::Closed);
    let mut read = Vec::new();
    loop {
        tokio::time::sleep(Duration::from_millis(40)).await;
        let mut byte = [0];
        if far.read(&mut byte).await.unwrap() == 0 {
            break;
        }
        read.push(byte[0]);
    }
    assert!(driving.await.unwrap().is_ok());
    assert!(read.ends_with(b"\"method\":\"a message\"}\n"), "{}", String::from_utf8_lossy(&read));
}
