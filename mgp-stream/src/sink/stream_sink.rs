//! The sink through which a handler sends chunks.

use super::{CallStream, collected::text_block};
use crate::options::{StreamOptions, member};
use mgp_transport::seam::{CallError, Incoming};
use mgp_types::{
    json::{JsonError, RawJson, RawObject},
    mcp::ContentBlock,
    rpc::{Notice, RawResult},
    stream::{StreamChunk, StreamSummary},
};

/// The sink through which a handler sends parts of its answer before the answer (§12.4).
///
/// A chunk goes on the wire if the caller asked for chunks and both sides negotiated `streaming`; sending waits while
/// the caller reads nothing. For every other caller the sink only keeps the content, so a handler can always use it: in
/// the end [`StreamSink::finish`] returns all content.
#[derive(Debug)]
pub struct StreamSink {
    stream: CallStream,
    caller: Option<StreamOptions>,
}

/// The content and summary of a finished sink, for the response.
#[derive(Debug, Clone)]
pub struct StreamContent {
    /// All content. Consecutive texts are joined.
    pub content: Vec<RawJson>,
    /// True if there was more content than a sink keeps (1 MiB). The handler then has to supply the content itself.
    pub truncated: bool,
    /// The summary of the stream.
    pub summary: StreamSummary,
}

/// The reason a chunk was not sent.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The request was answered or cancelled.
    #[error("the request has ended: its stream accepts no more content")]
    Ended,
    /// The connection could not carry the chunk.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The content cannot be written as JSON.
    #[error("failed to write the content: {0}")]
    Content(JsonError),
}

/// The error for a second sink. A request has one sink, because two would mix up the indices of their chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the request's stream sink is taken already")]
pub struct SinkTaken;

impl StreamSink {
    /// Opens the sink of a request. Chunks are only sent inside [`CancelLayer`](crate::cancel::CancelLayer), which
    /// knows when the request ends.
    ///
    /// # Errors
    /// [`SinkTaken`] if the request's sink was opened before.
    pub fn open(incoming: &Incoming) -> Result<Self, SinkTaken> {
        let Some(stream) = CallStream::of(incoming) else {
            return Ok(Self { stream: CallStream::new(), caller: None });
        };
        if !stream.take_sink() {
            return Err(SinkTaken);
        }
        let caller = StreamOptions::by(incoming).filter(|caller| caller.chunks);
        Ok(Self { stream: stream.clone(), caller })
    }

    /// Returns whether chunks go on the wire; otherwise they are only kept for the response.
    #[must_use]
    pub const fn is_streaming(&self) -> bool {
        self.caller.is_some()
    }

    /// Sends a piece of text, which continues the piece before.
    ///
    /// # Errors
    /// [`StreamError`] if the request or its connection has ended.
    pub async fn send_text(&mut self, text: impl AsRef<str>) -> Result<(), StreamError> {
        self.send_raw(text_block(text.as_ref())).await
    }

    /// Sends a block of content.
    ///
    /// # Errors
    /// [`StreamError`] if the request or its connection has ended, or if the content cannot be written as JSON.
    pub async fn send(&mut self, content: &ContentBlock) -> Result<(), StreamError> {
        self.send_raw(RawJson::from_value(content).map_err(StreamError::Content)?).await
    }

    /// Sends content as JSON. A call that is dropped while it waits has sent nothing and used no index.
    async fn send_raw(&mut self, content: RawJson) -> Result<(), StreamError> {
        let Some(caller) = &self.caller else {
            if self.stream.end().is_some() {
                return Err(StreamError::Ended);
            }
            self.stream.collect(content);
            return Ok(());
        };
        let mut params = RawObject::new();
        params.insert("request_id", caller.id.to_json());
        member(&mut params, "index", &self.stream.chunks_sent());
        params.insert("content", content.clone());
        params.insert("done", false.into());
        tokio::select! {
            biased;
            _ = self.stream.ended() => return Err(StreamError::Ended),
            sent = caller.peer.notify(StreamChunk::METHOD, params) => sent?,
        }
        self.stream.record(content);
        Ok(())
    }

    /// Ends the stream and returns its content and summary for the response.
    #[must_use]
    pub fn finish(self) -> StreamContent {
        StreamContent {
            content: self.stream.content(),
            truncated: self.stream.is_truncated(),
            summary: self.stream.summary(),
        }
    }
}

impl StreamContent {
    /// Returns a whole result: the content, and the summary in `_mgp` if any chunk was sent.
    #[must_use]
    pub fn to_result(&self) -> RawResult {
        let mut result = RawObject::new();
        member(&mut result, "content", &self.content);
        if self.summary.streamed == Some(true) {
            member(&mut result, "_mgp", &self.summary);
        }
        result.to_json()
    }
}
