//! Private parsers, made public for the targets of `xtask/fuzz`.

use crate::{
    codec::{LineReader, batch},
    http::{
        client::sse::SseParser,
        server::stream::{EventId, sse::write},
    },
};
use bytes::Bytes;
use futures_util::FutureExt;
use mgp_types::rpc::{Frame, FrameError};
use std::{
    collections::VecDeque,
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use tokio::io::{AsyncRead, ReadBuf};

/// A text that is read in pieces.
struct Pieces<'a> {
    rest: &'a [u8],
    size: usize,
}

impl AsyncRead for Pieces<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let length = self.size.min(into.remaining()).min(self.rest.len());
        let (now, later) = self.rest.split_at(length);
        into.put_slice(now);
        self.rest = later;
        Poll::Ready(Ok(()))
    }
}

/// Returns the frames of a text that is read in pieces of a given size.
pub fn lines(text: &[u8], max: usize, size: usize) -> Vec<Result<Bytes, FrameError>> {
    let mut reader = LineReader::new(Pieces { rest: text, size: size.max(1) }, max);
    // // The whole text is in memory, so the future never waits.
    std::iter::from_fn(|| reader.next().now_or_never()?.ok()?).collect()
}

/// Returns the messages of a batch.
///
/// # Errors
/// Returns the single error for a text that is not a batch.
pub fn messages(text: Bytes, max: usize) -> Result<Vec<Result<Frame, FrameError>>, FrameError> {
    batch::read(text, max)
}

/// The content of a stream of events.
#[derive(Debug, PartialEq, Eq)]
pub struct Stream {
    /// The type and data of each event.
    pub events: Vec<(String, Vec<u8>)>,
    /// The last event's id.
    pub last_id: Option<String>,
    /// The wait that the server asks for.
    pub retry: Option<Duration>,
    /// True if the stream was read to its end.
    pub is_whole: bool,
}

/// Returns the events of a text that is read in pieces of a given size.
#[must_use]
pub fn events(text: &[u8], max: usize, size: usize) -> Stream {
    let (mut parser, mut events) = (SseParser::new(max), VecDeque::new());
    let is_whole = text.chunks(size.max(1)).all(|piece| parser.feed(piece, &mut events).is_ok());
    Stream {
        events: events.into_iter().map(|event| (event.event, event.data)).collect(),
        last_id: parser.last_id().map(str::to_owned),
        retry: parser.retry(),
        is_whole,
    }
}

/// Encodes a message as the event that a server writes.
#[must_use]
pub fn write_event(id: Option<(u64, u64, u64)>, message: &[u8]) -> Bytes {
    write(id.map(|(session, stream, event)| EventId { session, stream, event }), message)
}

/// Returns the parts of the id of an event; `None` if the text is not an event id.
#[must_use]
pub fn event_id(text: &str) -> Option<(u64, u64, u64)> {
    text.parse().ok().map(|EventId { session, stream, event }| (session, stream, event))
}
