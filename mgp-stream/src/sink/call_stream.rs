//! The content that one request has streamed so far, and the end of its stream.

use super::{collected::CollectedContent, hold::StreamHold};
use crate::options::member;
use mgp_transport::seam::Incoming;
use mgp_types::{
    json::{RawJson, RawObject},
    rpc::RawResult,
    stream::StreamSummary,
};
use parking_lot::Mutex;
use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};
use tokio::{sync::Notify, time::Instant};

/// The content that one request has streamed so far. The request's sink adds to it, the layer that obeys cancellation
/// reads and ends it, and `mgp/stream/cancel` waits for that end. Clones share the same request.
///
/// [`Cancel`](crate::cancel::Cancel) puts it into `Incoming.ext` on sessions that negotiated MGP. Other sessions have
/// none, because their callers cannot ask for a partial result.
#[derive(Debug, Clone)]
pub struct CallStream(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    sent: Mutex<SentChunks>,
    end: OnceLock<StreamEnd>,
    ended: Notify,
    has_sink: AtomicBool,
    holds: AtomicUsize,
    since: Instant,
}

#[derive(Debug, Default)]
struct SentChunks {
    chunks: u64,
    collected: CollectedContent,
    /// The partial result that the handler, or the server behind it, has provided.
    partial: Option<RawObject>,
}

/// The end of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamEnd {
    /// The request's handler answered, or failed.
    Answered,
    /// The request was cancelled before that.
    Cancelled,
}

impl Default for CallStream {
    fn default() -> Self {
        Self::new()
    }
}

impl CallStream {
    /// Returns the stream of a request; `None` if its caller cannot ask for a partial result.
    #[must_use]
    pub fn of(message: &Incoming) -> Option<&Self> {
        message.ext.get()
    }

    /// Creates the stream of a request that has streamed nothing.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(Inner {
            sent: Mutex::default(),
            end: OnceLock::new(),
            ended: Notify::new(),
            has_sink: AtomicBool::new(false),
            holds: AtomicUsize::new(0),
            since: Instant::now(),
        }))
    }

    /// Records a chunk that was sent to the caller.
    pub fn record(&self, content: RawJson) {
        let mut sent = self.0.sent.lock();
        sent.chunks += 1;
        sent.collected.push(content);
    }

    /// Notes that chunks are missing before the next one: in the content, texts are not joined across them.
    pub(crate) fn note_gap(&self) {
        self.0.sent.lock().collected.note_gap();
    }

    /// Keeps content for the response instead of sending it to the caller as a chunk.
    pub(super) fn collect(&self, content: RawJson) {
        self.0.sent.lock().collected.push(content);
    }

    /// Keeps a partial result for the case that the request is cancelled, instead of any earlier one. If it has no content, the content
    /// streamed so far is used.
    pub fn keep_partial(&self, result: RawObject) {
        let mut sent = self.0.sent.lock();
        if self.end().is_none() {
            sent.partial = Some(result);
        }
    }

    /// Edits the partial result that is kept, or an empty one.
    pub fn edit_partial(&self, edit: impl FnOnce(&mut RawObject)) {
        let mut sent = self.0.sent.lock();
        if self.end().is_none() {
            edit(sent.partial.get_or_insert_default());
        }
    }

    /// Announces that the service itself ends a request cancelled by `mgp/stream/cancel`, within the service's own time limit. The service is
    /// dropped only after the returned value.
    #[must_use]
    pub fn hold(&self) -> StreamHold {
        self.0.holds.fetch_add(1, Ordering::AcqRel);
        StreamHold::new(self.clone())
    }

    /// Ends a hold.
    pub(super) fn release(&self) {
        self.0.holds.fetch_sub(1, Ordering::AcqRel);
    }

    /// Returns whether the request's service ends a cancelled request by itself.
    pub(crate) fn is_held(&self) -> bool {
        self.0.holds.load(Ordering::Acquire) > 0
    }

    /// Returns the number of chunks sent, which is also the index of the next one.
    #[must_use]
    pub fn chunks_sent(&self) -> u64 {
        self.0.sent.lock().chunks
    }

    /// Returns the content so far. Consecutive texts are joined.
    #[must_use]
    pub fn content(&self) -> Vec<RawJson> {
        self.0.sent.lock().collected.content()
    }

    /// Returns whether there was more content than is kept.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.0.sent.lock().collected.is_truncated()
    }

    /// Returns the summary of the stream, for a result's `_mgp`.
    #[must_use]
    pub fn summary(&self) -> StreamSummary {
        let chunks = self.chunks_sent();
        let duration = self.0.since.elapsed().as_millis();
        StreamSummary {
            streamed: Some(chunks > 0),
            chunks_sent: Some(chunks),
            duration_ms: Some(u64::try_from(duration).unwrap_or(u64::MAX)),
            cancelled: None,
        }
    }

    /// Returns the partial result: the one that was provided, or `{content}` with the content so far.
    #[must_use]
    pub fn partial_result(&self) -> RawResult {
        self.partial().to_json()
    }

    /// Returns the result of a request that was cancelled: the content so far, with `cancelled` in `_mgp`.
    #[must_use]
    pub fn cancelled_result(&self) -> RawResult {
        let mut result = self.partial();
        let mut mgp = result.object("_mgp").unwrap_or_default();
        member(&mut mgp, "cancelled", &true);
        let summary = self.summary();
        member(&mut mgp, "streamed", &summary.streamed);
        member(&mut mgp, "chunks_sent", &summary.chunks_sent);
        member(&mut mgp, "duration_ms", &summary.duration_ms);
        if self.is_truncated() {
            member(&mut mgp, "truncated", &true);
        }
        result.insert("_mgp", mgp.to_json());
        result.to_json()
    }

    fn partial(&self) -> RawObject {
        let mut result = self.0.sent.lock().partial.clone().unwrap_or_default();
        if result.get("content").is_none_or(|content| content.as_str() == "[]") {
            member(&mut result, "content", &self.content());
        }
        result
    }

    /// Ends the stream; only the first end counts. Nothing is sent from here on. The kept content is dropped unless the
    /// request was cancelled.
    pub(crate) fn finish(&self, end: StreamEnd) {
        if self.0.end.set(end).is_ok() {
            if end == StreamEnd::Answered {
                let mut sent = self.0.sent.lock();
                (sent.collected, sent.partial) = (CollectedContent::default(), None);
            }
            self.0.ended.notify_waiters();
        }
    }

    /// Returns the end of the request, or `None` while it runs.
    #[must_use]
    pub fn end(&self) -> Option<StreamEnd> {
        self.0.end.get().copied()
    }

    /// Waits until the request ends.
    pub async fn ended(&self) -> StreamEnd {
        loop {
            let ended = self.0.ended.notified();
            if let Some(end) = self.end() {
                return end;
            }
            ended.await;
        }
    }

    /// Takes the place of the request's only sink. Returns whether the place was free.
    pub(super) fn take_sink(&self) -> bool {
        !self.0.has_sink.swap(true, Ordering::AcqRel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_past_the_bound_truncate_the_partial_result() {
        let stream = CallStream::new();
        let half = RawJson::string("x".repeat(512 * 1024).as_str());
        for _ in 0..3 {
            stream.record(half.clone());
        }
        stream.finish(StreamEnd::Cancelled);
        assert_eq!((stream.chunks_sent(), stream.content().len()), (3, 1));
        let mgp = RawObject::from_json(&stream.cancelled_result()).unwrap().object("_mgp").unwrap();
        let read = StreamSummary::read(&mgp);
        assert_eq!((read.cancelled, read.streamed, read.chunks_sent), (Some(true), Some(true), Some(3)));
        assert_eq!(mgp.get("truncated"), Some(&RawJson::from(true)));
    }

    #[test]
    fn the_first_end_stays_and_an_answer_frees_the_kept_chunks() {
        let stream = CallStream::new();
        stream.record(RawJson::string("a"));
        stream.finish(StreamEnd::Answered);
        stream.finish(StreamEnd::Cancelled);
        assert_eq!(stream.end(), Some(StreamEnd::Answered));
        assert!(stream.content().is_empty());
    }
}
