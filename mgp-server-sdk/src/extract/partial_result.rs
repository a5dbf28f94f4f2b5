//! §12.7 The extractor for the partial result of a call.

use super::FromCall;
use crate::{Call, IntoToolResult, ToolError};
use mgp_stream::sink::CallStream;
use mgp_types::{
    checkpoint::CheckpointToken,
    json::{RawJson, RawObject},
};
use std::convert::Infallible;

/// The longest partial result, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// The partial result of a call: the result that the caller receives after cancelling the call (§12.7).
///
/// A call that is cancelled drops the waiting handler, so a handler sets its partial result as it proceeds. Otherwise, the
/// partial result is what a [`StreamSink`](mgp_stream::sink::StreamSink) has sent. Callers without MGP receive none.
///
/// ```
/// use mgp_server_sdk::{Tool, ToolError, extract::PartialResult};
///
/// async fn find(partial: PartialResult) -> Result<String, ToolError> {
///     let mut found = Vec::new();
///     for place in ["attic", "cellar", "garden"] {
///         found.push(place);
///         partial.set(format!("searched so far: {}", found.join(", ")))?;
///         tokio::task::yield_now().await;
///     }
///     Ok("nothing".to_owned())
/// }
///
/// let tool = Tool::new("find", "Searches everywhere", find);
/// # let _ = tool;
/// ```
#[derive(Debug, Clone)]
pub struct PartialResult(Option<CallStream>);

impl PartialResult {
    /// Sets the partial result, replacing the one before. It accepts everything that a tool may answer with.
    ///
    /// # Errors
    /// Returns a [`ToolError`] if the value cannot be a result, or is longer than 1 MiB.
    pub fn set(&self, result: impl IntoToolResult) -> Result<(), ToolError> {
        let Some(stream) = &self.0 else { return Ok(()) };
        let result = RawJson::from_value(&result.into_tool_result()?)?;
        let bytes = result.as_bytes().len();
        if bytes > MAX_BYTES {
            return Err(ToolError::new(format!(
                "the partial result has {bytes} bytes, expected at most {MAX_BYTES}"
            )));
        }
        let result = RawObject::from_json(&result)?;
        stream.edit_partial(|kept| {
            let checkpoint = kept.object("_meta").and_then(|meta| CheckpointToken::in_meta(&meta));
            *kept = result;
            if let Some(checkpoint) = checkpoint {
                checkpoint.put(kept);
            }
        });
        Ok(())
    }

    /// Returns whether the caller can get a partial result. A handler can always set one.
    #[must_use]
    pub const fn is_wanted(&self) -> bool {
        self.0.is_some()
    }
}

impl FromCall for PartialResult {
    type Rejection = Infallible;

    async fn from_call(call: &Call) -> Result<Self, Infallible> {
        // A call that is a task is answered before its handler runs.
        let stream = call.incoming().ext.get::<CallStream>().filter(|_| call.task_form().is_none());
        Ok(Self(stream.cloned()))
    }
}
