//! The level of the server's log.

use super::Client;
use mgp_transport::seam::CallError;
use mgp_types::mcp::{LoggingLevel, SetLevel};

impl Client {
    /// Sets the lowest level of log messages that the server sends to [`on_log`](super::ClientBuilder::on_log).
    ///
    /// In the era of `initialize` a request sets the level for the session. In the stateless era nothing is sent: each later
    /// request carries the level, and a server sends log messages only for such requests.
    ///
    /// ```
    /// # use {mgp_client_sdk::client::Client, mgp_server_sdk::{Server, Tool, extract::Log}};
    /// use mgp_client_sdk::mcp::{LogMessageParams, LoggingLevel};
    /// # use mgp_client_sdk::RawJson;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let speak = Tool::new("speak", "Speaks", async |log: Log| { let _ = log.info("hello").await; "said" });
    /// # let (input, output) = Server::new("s", "1").tool(speak).build()?.in_process();
    /// let (heard, mut lines) = tokio::sync::mpsc::channel(16);
    /// let client = Client::builder("example", "1.0.0")
    ///     .on_log(move |line: LogMessageParams| {
    ///         let heard = heard.clone();
    ///         async move { drop(heard.send(line.data).await) }
    ///     })
    ///     .connect(input, output)
    ///     .await?;
    /// client.set_log_level(LoggingLevel::Info).await?;
    /// client.call_tool("speak", RawJson::empty_object()).await?;
    /// assert!(lines.recv().await.is_some_and(|line| line.as_str() == r#""hello""#));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`CallError`]; a server without a log answers that the method is unknown.
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<(), CallError> {
        let session = &self.caller.session;
        if let Some(params) = session.log_level_request(level) {
            self.request::<SetLevel>(&params).await?;
            session.keep_log_level(level);
        }
        Ok(())
    }
}
