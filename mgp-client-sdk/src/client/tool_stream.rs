//! A tool call whose progress and chunks are read as they arrive.

use super::{
    Client, ToolCallError, ToolEvent,
    caller::{Caller, OnEvent, PARTIAL_RESULT},
    tool_call::{is_cancelled, tool_params, typed},
};
use futures_util::{FutureExt, future::BoxFuture};
use mgp_transport::seam::CallError;
use mgp_types::{checkpoint::CheckpointToken, json::RawJson, mcp::CallToolResult};
use serde::de::DeserializeOwned;
use std::{fmt, time::Duration};
use tokio::{sync::mpsc, time::timeout};
use tokio_util::sync::CancellationToken;

/// The time beyond the limit for a partial result, for everything except waiting for it.
const MARGIN: Duration = Duration::from_millis(500);

/// The end of a cancelled call, from [`ToolStream::cancel`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum CancelOutcome {
    /// The call was cancelled, with the server's partial result. `None` if the server gave none, like any server without MGP's streaming.
    Cancelled(Option<CallToolResult>),
    /// The tool had answered before.
    Answered(CallToolResult),
}

/// A tool call whose progress and chunks are read as they arrive, from [`Client::stream`]. The call runs while the stream is
/// read; dropping the stream cancels the call.
pub struct ToolStream {
    tool: String,
    running: BoxFuture<'static, Result<CallToolResult, CallError>>,
    /// Filled only while `running` is polled, which handles no more than the connection keeps unread for one call.
    events: mpsc::UnboundedReceiver<ToolEvent>,
    outcome: Option<Result<CallToolResult, CallError>>,
    cancel: CancellationToken,
}

impl ToolStream {
    pub(super) fn start(
        client: &Client,
        tool: &str,
        arguments: Result<RawJson, CallError>,
        checkpoint: Option<CheckpointToken>,
    ) -> Self {
        let (tell, events) = mpsc::unbounded_channel();
        let (chunks, cancel, name) = (client.has_streaming(), CancellationToken::new(), tool.to_owned());
        let caller = Caller { cancel: Some(cancel.clone()), ..client.caller.clone() };
        let running = async move {
            // The receiver exists as long as the call runs.
            let mut on_event = |event| drop(tell.send(event));
            let on_event: OnEvent<'_> = &mut on_event;
            let mut params = tool_params(&name, arguments?);
            if let Some(checkpoint) = checkpoint {
                checkpoint.put(&mut params);
            }
            caller.call_tool(&name, params, Some(on_event), chunks).await
        };
        Self { tool: tool.to_owned(), running: running.boxed(), events, outcome: None, cancel }
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

    /// Waits for the result and decodes it like [`Client::call`]. Unread events are dropped.
    ///
    /// # Errors
    /// [`ToolCallError`].
    pub async fn result<T: DeserializeOwned>(self) -> Result<T, ToolCallError> {
        let tool = self.tool.clone();
        typed(&tool, self.raw_result().await?)
    }

    /// Waits for the result without decoding it. Unread events are dropped.
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

    /// Cancels the call, and waits for its partial result, for at most about three seconds. A server with MGP's streaming is asked for it
    /// with `mgp/stream/cancel` (§12.7). Any other server is notified with `notifications/cancelled`, and not waited for. Unread events
    /// are dropped.
    ///
    /// ```
    /// # use mgp_server_sdk::{Server, StreamSink, Tool, ToolError};
    /// # async fn count(mut sink: StreamSink) -> Result<(), ToolError> {
    /// #     sink.send_text("1 2 3").await?;
    /// #     std::future::pending().await
    /// # }
    /// use mgp_client_sdk::client::{CancelOutcome, Client};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let (input, output) = Server::new("s", "1").tool(Tool::new("count", "Counts", count)).build()?.in_process();
    /// let client = Client::builder("example", "1.0.0").connect(input, output).await?;
    /// let mut counting = client.stream("count", ());
    /// counting.next().await;
    /// let CancelOutcome::Cancelled(Some(partial)) = counting.cancel().await? else { panic!("it counts forever") };
    /// assert!(partial.content[0].as_text() == Some("1 2 3"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`CallError`] if the call failed before it was cancelled.
    pub async fn cancel(mut self) -> Result<CancelOutcome, CallError> {
        self.events.close();
        if let Some(outcome) = self.outcome {
            return outcome.map(CancelOutcome::Answered);
        }
        self.cancel.cancel();
        // Between two rounds, there is nothing to cancel.
        let Ok(ended) = timeout(PARTIAL_RESULT + MARGIN, self.running).await else {
            return Ok(CancelOutcome::Cancelled(None));
        };
        let result = ended?;
        if !is_cancelled(&result) {
            return Ok(CancelOutcome::Answered(result));
        }
        let is_empty =
            result.content.is_empty() && result.structured_content.is_none() && result.meta.is_none();
        Ok(CancelOutcome::Cancelled((!is_empty).then_some(result)))
    }
}

impl fmt::Debug for ToolStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolStream").field("tool", &self.tool).finish_non_exhaustive()
    }
}
