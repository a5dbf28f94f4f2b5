//! §12 Streaming: chunks, progress, cancel.

use crate::{
    json::{RawJson, RawObject},
    mcp::ContentBlock,
    rpc::RequestId,
};
use serde::{Deserialize, Serialize};
use serde_json::Number;

notices! {
    /// Sends a part of an answer, before the answer (§12.4).
    StreamChunk = "notifications/mgp.stream.chunk": StreamChunkParams;
    /// Reports the progress of a request (§12.6).
    StreamProgress = "notifications/mgp.stream.progress": StreamProgressParams;
}

calls! {
    /// Ends a request before its answer (§12.7).
    call CancelStream = "mgp/stream/cancel": StreamCancelParams => StreamCancelResult;
}

pub use crate::mcp::ESTIMATED_REMAINING_MS;

/// A part of an answer, which continues the chunk before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StreamChunkParams {
    /// The id of the request that the chunk answers, as its sender wrote it.
    pub request_id: RequestId,
    /// The chunk's index: 0, 1, 2 ...
    pub index: u64,
    /// The content of the chunk.
    pub content: ContentBlock,
    /// True if the chunk is the last one. The response ends the stream in any case.
    #[serde(default)]
    pub done: bool,
}

/// The params of MGP's notification of progress (§12), which names the request by its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StreamProgressParams {
    /// The id of the request, as its sender wrote it.
    pub request_id: RequestId,
    /// The progress so far, from 0 to 1.
    pub progress: Number,
    /// The current step, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// An estimate of the remaining time, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_remaining_ms: Option<u64>,
}

/// The request to end, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StreamCancelParams {
    /// The request's id, as its sender wrote it.
    pub request_id: RequestId,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The result of ending a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StreamCancelResult {
    /// True if the request was ended.
    pub cancelled: bool,
    /// The partial result, with the content streamed so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial_result: Option<RawJson>,
    /// The reason the request was not ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl StreamCancelResult {
    /// Returns the answer for a request that is not in progress.
    #[must_use]
    pub fn not_active() -> Self {
        Self { cancelled: false, partial_result: None, reason: Some("not_active".into()) }
    }
}

/// The summary of a stream, in a result's `_mgp` (§12.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StreamSummary {
    /// True if there were chunks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streamed: Option<bool>,
    /// The number of chunks sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunks_sent: Option<u64>,
    /// The duration of the request, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// True if the request was ended early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancelled: Option<bool>,
}

impl StreamSummary {
    /// Reads the summary from a `_mgp` member; a member that cannot be read counts as absent.
    #[must_use]
    pub fn read(mgp: &RawObject) -> Self {
        Self {
            streamed: mgp.decode("streamed").ok().flatten(),
            chunks_sent: mgp.decode("chunks_sent").ok().flatten(),
            duration_ms: mgp.decode("duration_ms").ok().flatten(),
            cancelled: mgp.decode("cancelled").ok().flatten(),
        }
    }
}

/// Returns whether a request's `_mgp` asks for chunks (§12.3).
#[must_use]
pub fn wants_stream(mgp: &RawObject) -> bool {
    mgp.get("stream").is_some_and(|value| value.as_str() == "true")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_exact_numbers_survive_unchanged() {
        for text in [
            r#"{"request_id":"a","progress":1,"message":"b"}"#,
            r#"{"request_id":1.50,"progress":0.65,"estimated_remaining_ms":4500}"#,
        ] {
            let params: StreamProgressParams = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&params).unwrap(), text);
        }
    }

    #[test]
    fn a_summary_is_read_member_by_member() {
        let mgp = RawObject::parse(r#"{"streamed":true,"chunks_sent":"many","x":1}"#).unwrap();
        assert_eq!(StreamSummary::read(&mgp), StreamSummary { streamed: Some(true), ..Default::default() });
        assert!(!wants_stream(&mgp));
        assert!(wants_stream(&RawObject::parse(r#"{"stream":true}"#).unwrap()));
    }
}
