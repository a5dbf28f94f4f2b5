//! Writes a stream of messages as server-sent events.

use super::{
    queue::{Event, Lost, Reader},
    session::Activity,
};
use crate::http::header::SSE;
use axum::{body::Body, response::Response};
use bytes::{Bytes, BytesMut};
use futures_core::Stream;
use http::{
    HeaderValue,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use pin_project_lite::pin_project;
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::{Instant, Sleep, sleep};

pin_project! {
    /// A stream's messages as the bytes of its body.
    struct SseStream {
        reader: Reader,
        first: Option<Event>,
        keep_alive: Option<Duration>,
        #[pin]
        alive_at: Sleep,
        // The session is in use while the stream is open.
        _activity: Activity,
    }
}

/// A response that carries a stream, from a message that was already taken from it on.
pub(super) fn response(
    reader: Reader,
    first: Option<Event>,
    keep_alive: Option<Duration>,
    activity: Activity,
) -> Response {
    let alive_at = sleep(keep_alive.unwrap_or_default());
    let stream = SseStream { reader, first, keep_alive, alive_at, _activity: activity };
    let mut response = Response::new(Body::from_stream(stream));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(SSE));
    // Neither caches nor proxies may hold back what comes piece by piece.
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

impl Stream for SseStream {
    type Item = Result<Bytes, Lost>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        let next = match this.first.take() {
            Some(first) => Poll::Ready(Some(Ok(first))),
            None => this.reader.poll_next(cx),
        };
        if let (Poll::Pending, Some(period)) = (&next, *this.keep_alive) {
            ready!(this.alive_at.as_mut().poll(cx));
            this.alive_at.as_mut().reset(Instant::now() + period);
            // The timer must wake this task again.
            if this.alive_at.as_mut().poll(cx).is_ready() {
                cx.waker().wake_by_ref();
            }
            return Poll::Ready(Some(Ok(Bytes::from_static(b":\n\n"))));
        }
        if let (true, Some(period)) = (next.is_ready(), *this.keep_alive) {
            this.alive_at.as_mut().reset(Instant::now() + period);
        }
        next.map(|next| next.map(|event| event.map(|event| write(&event))))
    }
}

/// One event. A message is one line, so it is one `data` line.
fn write(event: &Event) -> Bytes {
    let mut out = BytesMut::with_capacity(event.text.len() + 32);
    out.extend_from_slice(b"event: message\ndata: ");
    out.extend_from_slice(&event.text);
    out.extend_from_slice(b"\n\n");
    out.freeze()
}
