//! Calls of the demo's host, each within a time limit.

use super::{findings::Interruption, within::within};
use mgp_client_sdk::client::{CallOptions, Client};
use mgp_transport::seam::{CallError, CallEvent, PendingCall};
use mgp_types::{
    json::RawJson,
    mcp::CallToolResult,
    rpc::{Call, ErrorObject, Notice},
    stream::{StreamChunk, StreamChunkParams},
};
use serde_json::Value;

/// The outcome of a tool call.
#[derive(Debug)]
pub(super) enum Answer {
    /// The tool's result.
    Result(CallToolResult),
    /// The kernel's error.
    Refused(ErrorObject),
}

impl Answer {
    /// Returns the first text of a result, or an empty text.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Result(result) => {
                result.content.first().and_then(|block| block.as_text()).unwrap_or_default()
            }
            Self::Refused(_) => "",
        }
    }

    /// Returns the first text as JSON, or `null` if it is not JSON.
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(self.text()).unwrap_or_default()
    }

    /// Returns `true` if the tool ran and its result is not an error.
    pub(super) fn succeeded(&self) -> bool {
        matches!(self, Self::Result(result) if !result.failed())
    }

    /// Returns the result of a tool that ran; the error of a call that was refused ends the step.
    pub(super) fn into_result(self) -> Result<CallToolResult, Interruption> {
        match self {
            Self::Result(result) => Ok(result),
            Self::Refused(error) => Err(error.into()),
        }
    }

    /// Returns the error of a call that was refused.
    pub(super) fn refusal(&self) -> Option<&ErrorObject> {
        match self {
            Self::Result(_) => None,
            Self::Refused(error) => Some(error),
        }
    }

    /// Returns the code of a refusal.
    pub(super) fn code(&self) -> Option<i64> {
        self.refusal().map(|error| error.code)
    }
}

/// Calls a tool.
pub(super) async fn call_tool(host: &Client, tool: &str, arguments: &Value) -> Result<Answer, Interruption> {
    call_tool_with(host, tool, arguments, CallOptions::new()).await
}

/// Calls a tool with options.
pub(super) async fn call_tool_with(
    host: &Client,
    tool: &str,
    arguments: &Value,
    options: CallOptions,
) -> Result<Answer, Interruption> {
    match within("the answer of a tool", host.call_tool_with(tool, arguments, options)).await? {
        Ok(result) => Ok(Answer::Result(result)),
        Err(CallError::Peer(error)) => Ok(Answer::Refused(error)),
        Err(error) => Err(error.into()),
    }
}

/// Sends a request.
pub(super) async fn request<C: Call>(client: &Client, params: &C::Params) -> Result<C::Result, Interruption> {
    Ok(within(C::METHOD, client.request::<C>(params)).await??)
}

/// Starts a tool call that streams.
pub(super) async fn start_stream(
    host: &Client,
    tool: &str,
    arguments: &Value,
) -> Result<PendingCall, Interruption> {
    let arguments = RawJson::from_value(arguments)?;
    Ok(within("a call to start", host.start_tool(tool, arguments)).await??)
}

/// The next part of a streamed call, other than progress.
#[derive(Debug)]
pub(super) enum StreamPart {
    /// The next chunk.
    Chunk { index: u64, text: String },
    /// The answer, which ends the stream.
    Answer(RawJson),
}

/// Returns the next chunk of a streamed call, or its answer. Progress is skipped.
pub(super) async fn next(call: &mut PendingCall) -> Result<StreamPart, Interruption> {
    loop {
        match within("the next part of a stream", call.next()).await? {
            CallEvent::Notification(note) if note.method == *StreamChunk::METHOD => {
                let chunk: StreamChunkParams = note.params.decode()?;
                let text = chunk.content.as_text().unwrap_or_default().to_owned();
                return Ok(StreamPart::Chunk { index: chunk.index, text });
            }
            CallEvent::Notification(_) => {}
            CallEvent::Reply(reply) => return Ok(StreamPart::Answer(reply?)),
        }
    }
}
