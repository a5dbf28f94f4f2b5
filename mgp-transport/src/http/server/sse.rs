//! A stream of messages, written as server-sent events.

use super::{
    config::HttpServerConfig,
    event_id::EventId,
    log::Event,
    queue::{LostStream, Reader},
    session::HttpSession,
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
    collections::VecDeque,
    fmt::Write,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::{Instant, Sleep, sleep};

/// The form of a stream, apart from its messages.
#[derive(Debug, Default)]
pub(super) struct Form {
    /// The bytes before the first message.
    pub(super) lead: Bytes,
    /// True if events carry ids, so that a client can come back.
    pub(super) ids: bool,
    pub(super) keep_alive: Option<Duration>,
    /// The time after which the stream is closed, so that the client polls.
    pub(super) poll_after: Option<Duration>,
}

impl Form {
    /// Returns the form of a session's stream whose next event is the one after `after`.
    pub(super) fn of(session: &HttpSession, config: &HttpServerConfig, reader: &Reader, after: u64) -> Self {
        let mut form = Self { ids: true, keep_alive: config.keep_alive, ..Self::default() };
        if session.streams.are_polled() {
            let mut lead = format!("id: {}\n", reader.id(after));
            if let Some(retry) = config.resume.retry {
                // Writing to a string does not fail.
                let _ = writeln!(lead, "retry: {}", retry.as_millis());
            }
            lead.push_str("data: \n\n");
            form.lead = lead.into();
            form.poll_after = config.resume.poll_after.filter(|_| reader.is_of_calls());
        }
        form
    }
}

pin_project! {
    /// A stream's messages as the bytes of its body.
    struct SseStream<H> {
        reader: Reader,
        first: VecDeque<(u64, Event)>,
        lead: Bytes,
        ids: bool,
        keep_alive: Option<Duration>,
        #[pin]
        alive_at: Sleep,
        close_at: Option<Pin<Box<Sleep>>>,
        // Kept for as long as the stream is open.
        _held: H,
    }
}

/// Returns a response that carries a stream, beginning with the messages that were already taken from it. `held` is kept while the
/// stream is open.
pub(super) fn response(
    reader: Reader,
    first: VecDeque<(u64, Event)>,
    form: Form,
    held: impl Send + 'static,
) -> Response {
    if form.ids {
        reader.show();
    }
    let stream = SseStream {
        reader,
        first,
        lead: form.lead,
        ids: form.ids,
        keep_alive: form.keep_alive,
        alive_at: sleep(form.keep_alive.unwrap_or_default()),
        close_at: form.poll_after.map(|after| Box::pin(sleep(after))),
        _held: held,
    };
    let mut response = Response::new(Body::from_stream(stream));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(SSE));
    // Neither caches nor proxies may hold back events.
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

impl<H> Stream for SseStream<H> {
    type Item = Result<Bytes, LostStream>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        if !this.lead.is_empty() {
            return Poll::Ready(Some(Ok(std::mem::take(this.lead))));
        }
        if let Some(close_at) = this.close_at
            && close_at.as_mut().poll(cx).is_ready()
        {
            *this.close_at = None;
            this.reader.dismiss();
        }
        let next = match this.first.pop_front() {
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
        let ids = *this.ids;
        next.map(|next| {
            next.map(|event| {
                event.map(|(number, event)| write(ids.then(|| this.reader.id(number)), &event.text))
            })
        })
    }
}

/// Returns one event. A message is one line, so it is one `data` line.
pub(crate) fn write(id: Option<EventId>, text: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(text.len() + 64);
    if let Some(id) = id {
        // Writing to a buffer that grows does not fail.
        let _ = writeln!(out, "id: {id}");
    }
    out.extend_from_slice(b"event: message\ndata: ");
    out.extend_from_slice(text);
    out.extend_from_slice(b"\n\n");
    out.freeze()
}
