//! A stream of messages, written as server-sent events.

use super::{Event, EventId, Reader, Streams, queue::LostStream};
use crate::http::{header::SSE, server::HttpServerConfig};
use axum::{body::Body, response::Response};
use bytes::{Bytes, BytesMut};
use futures_util::stream;
use http::{
    HeaderValue,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use std::{collections::VecDeque, fmt::Write, time::Duration};
use tokio::time::{Instant, sleep, sleep_until};

/// The form of a stream, apart from its messages.
#[derive(Debug, Default)]
pub(in crate::http::server) struct Form {
    /// The bytes before the first message.
    pub(in crate::http::server) lead: Bytes,
    /// True if events carry ids, so that a client can reconnect.
    pub(in crate::http::server) ids: bool,
    pub(in crate::http::server) keep_alive: Option<Duration>,
    /// The time after which the stream is closed, so that the client polls.
    pub(in crate::http::server) poll_after: Option<Duration>,
}

impl Form {
    /// Returns the form of one of a session's streams whose next event is the one after `after`.
    pub(in crate::http::server) fn of(
        streams: &Streams,
        config: &HttpServerConfig,
        reader: &Reader,
        after: u64,
    ) -> Self {
        let mut form = Self { ids: true, keep_alive: config.keep_alive, ..Self::default() };
        if streams.are_polled() {
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

/// A stream that is being sent.
struct OpenStream<H> {
    reader: Reader,
    first: VecDeque<(u64, Event)>,
    form: Form,
    close_at: Option<Instant>,
    /// Kept for as long as the stream is open.
    _held: H,
}

/// Returns a response that carries a stream, beginning with the messages that were already taken from it. `held` is kept while the
/// stream is open.
pub(in crate::http::server) fn response(
    reader: Reader,
    first: VecDeque<(u64, Event)>,
    form: Form,
    held: impl Send + 'static,
) -> Response {
    if form.ids {
        reader.show();
    }
    let close_at = form.poll_after.map(|after| Instant::now() + after);
    let stream = OpenStream { reader, first, form, close_at, _held: held };
    let stream = stream::unfold(stream, |mut stream| async move {
        let piece = stream.next().await?;
        Some((piece, stream))
    });
    let mut response = Response::new(Body::from_stream(stream));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(SSE));
    // Neither caches nor proxies may delay events.
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

impl<H> OpenStream<H> {
    /// Returns the next piece of the body.
    async fn next(&mut self) -> Option<Result<Bytes, LostStream>> {
        if !self.form.lead.is_empty() {
            return Some(Ok(std::mem::take(&mut self.form.lead)));
        }
        let (close_at, keep_alive) = (self.close_at, self.form.keep_alive);
        let next = match self.first.pop_front() {
            Some(first) => Some(Ok(first)),
            None => tokio::select! {
                biased;
                () = sleep_until(close_at.unwrap_or_else(Instant::now)), if close_at.is_some() => {
                    self.close_at = None;
                    self.reader.dismiss();
                    self.reader.next().await
                }
                next = self.reader.next() => next,
                () = sleep(keep_alive.unwrap_or_default()), if keep_alive.is_some() => {
                    return Some(Ok(Bytes::from_static(b":\n\n")));
                }
            },
        };
        let id = |number| self.form.ids.then(|| self.reader.id(number));
        next.map(|event| event.map(|(number, event)| write(id(number), &event.text)))
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
