//! §12 Streaming: chunks, progress, cancel.

use crate::{
    json::{RawJson, RawObject},
    mcp::ContentBlock,
    rpc::RequestId,
};
use serde::{Deserialize, Serialize};
use serde_json::Number;

notices! {
    /// A part of an answer, before the answer (§12.4).
    StreamChunk = "notifications/mgp.stream.chunk": StreamChunkParams;
    /// How far a request has come (§12.6).
    StreamProgress = "notifications/mgp.stream.progress": StreamProgressParams;
}

calls! {
    /// Ends a request before its answer (§12.7).
    call CancelStream = "mgp/stream/cancel": StreamCancelParams => StreamCancelResult;
}

/// A part of an answer: what is new since the chunk before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StreamChunkParams {
    /// The id of the request that it answers, as its sender wrote it.
    pub request_id: RequestId,
    /// The chunk's place: 0, 1, 2 ...
    pub index: u64,
    /// The part.
    pub content: ContentBlock,
    /// Whether it is the last one. The response ends the stream in any case.
    #[serde(default)]
    pub done: bool,
}

/// How far a request has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamProgressParams {
    /// The id of the request, as its sender wrote it.
    pub request_id: RequestId,
    /// How far, from 0 to 1.
    pub progress: Number,
    /// What is being done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How long it may still take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_remaining_ms: Option<u64>,
}

/// Which request to end, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamCancelParams {
    /// The request's id, as its sender wrote it.
    pub request_id: RequestId,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Whether it was ended, and what there was so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamCancelResult {
    /// Whether it was.
    pub cancelled: bool,
    /// What there was so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial_result: Option<RawJson>,
    /// Why it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl StreamCancelResult {
    /// The answer for a request that is not being worked on.
    #[must_use]
    pub fn not_active() -> Self {
        Self { cancelled: false, partial_result: None, reason: Some("not_active".into()) }
    }
}

/// What a result's `_mgp` says about how it was made (§12.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StreamSummary {
    /// Whether there were chunks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streamed: Option<bool>,
    /// How many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunks_sent: Option<u64>,
    /// How long it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Whether it was ended early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancelled: Option<bool>,
}

impl StreamSummary {
    /// Reads the summary out of a `_mgp` member; what cannot be read counts as absent.
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

/// Whether a request's `_mgp` asks for chunks (§12.3).
#[must_use]
pub fn wants_stream(mgp: &RawObject) -> bool {
    mgp.get("stream").is_some_and(|value| value.as_str() == "true")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_every_kind_and_exact_numbers_come_out_as_they_went_in() {
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
