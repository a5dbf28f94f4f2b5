//! Typed calls of tools: the arguments and the result are types of the program.

use super::{
    CallOptions, Client, ToolCallError, ToolStream,
    tool_call::{to_arguments, typed},
};
use mgp_types::checkpoint::CheckpointToken;
use serde::{Serialize, de::DeserializeOwned};

impl Client {
    /// Calls a tool and decodes its result: the structured content if there is any, else the text. A text is used as it is if `T` can
    /// be made from a string, and is parsed as JSON otherwise. `()` stands for no arguments, and for an unused result.
    ///
    /// [`call_tool`](Self::call_tool) returns the result as it is; [`stream`](Self::stream) also returns progress and chunks.
    ///
    /// ```
    /// # use mgp_server_sdk::{Json, Server, Tool, extract::Args};
    /// use mgp_client_sdk::client::Client;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Serialize)]
    /// struct Add {
    ///     a: f64,
    ///     b: f64,
    /// }
    /// # #[derive(Deserialize, schemars::JsonSchema)] struct AddArgs { a: f64, b: f64 }
    /// # #[derive(Serialize, schemars::JsonSchema)] struct SumOf { sum: f64 }
    /// # async fn add(Args(AddArgs { a, b }): Args<AddArgs>) -> Json<SumOf> { Json(SumOf { sum: a + b }) }
    /// # async fn add_as_text(Args(AddArgs { a, b }): Args<AddArgs>) -> String { (a + b).to_string() }
    ///
    /// #[derive(Deserialize)]
    /// struct Sum {
    ///     sum: f64,
    /// }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let server = Server::new("s", "1").tool(Tool::new("add", "Adds", add)).tool(Tool::new("add_as_text", "Adds", add_as_text));
    /// # let (input, output) = server.build()?.in_process();
    /// let client = Client::builder("example", "1.0.0").connect(input, output).await?;
    /// let Sum { sum } = client.call("add", &Add { a: 1.0, b: 2.0 }).await?;
    /// let as_text: f64 = client.call("add_as_text", &Add { a: 1.0, b: 2.0 }).await?;
    /// assert!(sum == 3.0 && as_text == 3.0);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`ToolCallError`].
    pub async fn call<T: DeserializeOwned>(
        &self,
        tool: &str,
        arguments: impl Serialize,
    ) -> Result<T, ToolCallError> {
        typed(tool, self.call_tool(tool, arguments).await?)
    }

    /// Calls a tool like [`call`](Self::call), with options for a gateway, like [`call_tool_with`](Self::call_tool_with).
    ///
    /// # Errors
    /// [`ToolCallError`].
    pub async fn call_with<T: DeserializeOwned>(
        &self,
        tool: &str,
        arguments: impl Serialize,
        options: CallOptions,
    ) -> Result<T, ToolCallError> {
        typed(tool, self.call_tool_with(tool, arguments, options).await?)
    }

    /// Calls a tool like [`call`](Self::call), and returns its progress and the chunks of its result as they arrive.
    ///
    /// ```
    /// # use mgp_server_sdk::{Server, StreamSink, StreamContent, Tool, ToolError};
    /// # async fn count(mut sink: StreamSink) -> Result<StreamContent, ToolError> {
    /// #     for number in ["1 ", "2 "] { sink.send_text(number).await?; }
    /// #     Ok(sink.finish())
    /// # }
    /// use mgp_client_sdk::client::{Client, ToolEvent};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let (input, output) = Server::new("s", "1").tool(Tool::new("count", "Counts", count)).build()?.in_process();
    /// let client = Client::builder("example", "1.0.0").connect(input, output).await?;
    /// let mut counting = client.stream("count", ());
    /// let mut heard = String::new();
    /// while let Some(event) = counting.next().await {
    ///     if let ToolEvent::Chunk(chunk) = event {
    ///         heard += chunk.content.as_text().unwrap_or_default();
    ///     }
    /// }
    /// assert!(heard == "1 2 ");
    /// assert!(counting.result::<String>().await? == "1 2 ");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn stream(&self, tool: &str, arguments: impl Serialize) -> ToolStream {
        ToolStream::start(self, tool, to_arguments(&arguments), None)
    }

    /// Calls a tool like [`stream`](Self::stream), continuing where an earlier call ended: with the checkpoint in the result of a failed
    /// call, or in the partial result of a cancelled one. The arguments must be those of the earlier call.
    ///
    /// ```
    /// # use mgp_server_sdk::{Server, Tool, ToolError, checkpoint::Checkpoint};
    /// # async fn copy(checkpoint: Checkpoint) -> Result<String, ToolError> {
    /// #     if let Some(row) = checkpoint.state::<u64>()? { return Ok(format!("copied from row {row}")) }
    /// #     checkpoint.save(&500)?;
    /// #     Err(ToolError::new("the disk is full"))
    /// # }
    /// use mgp_client_sdk::client::{Client, ToolCallError};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let (input, output) = Server::new("s", "1").tool(Tool::new("copy", "Copies", copy)).build()?.in_process();
    /// let client = Client::builder("example", "1.0.0").connect(input, output).await?;
    /// let failed = match client.call::<String>("copy", ()).await {
    ///     Err(ToolCallError::Failed { result, .. }) => result,
    ///     _ => panic!("the disk is full"),
    /// };
    /// let checkpoint = failed.checkpoint().expect("the tool saved its state");
    /// assert!(client.resume("copy", (), &checkpoint).result::<String>().await? == "copied from row 500");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn resume(&self, tool: &str, arguments: impl Serialize, checkpoint: &CheckpointToken) -> ToolStream {
        ToolStream::start(self, tool, to_arguments(&arguments), Some(checkpoint.clone()))
    }
}
