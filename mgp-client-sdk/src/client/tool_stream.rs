//! A call of a tool whose progress and chunks are read as they come.

use super::{Client, ToolCallError, call::typed, caller::OnEvent};
use futures_util::{FutureExt, future::BoxFuture};
use mgp_transport::seam::CallError;
use mgp_types::{
    json::RawJson,
    mcp::{CallToolResult, ProgressParams},
    stream::StreamChunkParams,
};
use serde::de::DeserializeOwned;
use std::fmt;
use tokio::sync::mpsc;

/// A message of a tool before its result.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ToolEvent {
    /// The progress of the tool.
    Progress(ProgressParams),
    /// A chunk of the result, from a server that speaks MGP's streaming.
    Chunk(StreamChunkParams),
}

/// A call of a tool whose progress and chunks are read as they come, from [`Client::stream`]. The call runs while the stream is
/// read; dropping the stream cancels the call.
pub struct ToolStream {
    tool: String,
    running: BoxFuture<'static, Result<CallToolResult, CallError>>,
    /// Filled only while `running` is polled, which handles no more than the connection keeps unread for one call.
    events: mpsc::UnboundedReceiver<ToolEvent>,
    outcome: Option<Result<CallToolResult, CallError>>,
}

impl ToolStream {
    pub(super) fn start(client: &Client, tool: &str, arguments: Result<RawJson, CallError>) -> Self {
        let (tell, events) = mpsc::unbounded_channel();
        let (chunks, caller, name) = (client.has_streaming(), client.caller.clone(), tool.to_owned());
        let running = async move {
            // The receiver is read as long as the call runs.
            let mut on_event = |event| drop(tell.send(event));
            let on_event: OnEvent<'_> = &mut on_event;
            caller.call_tool(&name, arguments?, Some(on_event), chunks).await
        };
        Self { tool: tool.to_owned(), running: running.boxed(), events, outcome: None }
    }

    /// Waits for the next event; `None` once the tool has answered. Questions of the server in between are answered by the client's
    /// handlers.
    pub async fn next(&mut self) -> Option<ToolEvent> {
        loop {
            tokio::select! {
                biased;
                event = self.events.recv() => return event,
                outcome = &mut self.running, if self.outcome.is_none() => self.outcome = Some(outcome),
            }
        }
    }

    /// Waits for the result and decodes it as [`Client::call`] does. Events that were not read are dropped.
    ///
    /// # Errors
    /// [`ToolCallError`].
    pub async fn result<T: DeserializeOwned>(self) -> Result<T, ToolCallError> {
        let tool = self.tool.clone();
        typed(&tool, self.raw_result().await?)
    }

    /// Waits for the result as it is. Events that were not read are dropped.
    ///
    /// # Errors
    /// [`CallError`]. The failure of a tool that ran is a result, not an error.
    pub async fn raw_result(mut self) -> Result<CallToolResult, CallError> {
        self.events.close();
        match self.outcome {
            Some(outcome) => outcome,
            None => self.running.await,
        }
    }
}

impl fmt::Debug for ToolStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolStream").field("tool", &self.tool).finish_non_exhaustive()
    }
}
