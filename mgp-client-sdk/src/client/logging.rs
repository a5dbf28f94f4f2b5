//! From which level on the server's log is heard.

use super::Client;
use crate::handshake::Era;
use mgp_transport::seam::CallError;
use mgp_types::mcp::{LoggingLevel, SetLevel, SetLevelParams};

impl Client {
    /// Sets from which level on the server sends log messages, which [`on_log`](super::ClientBuilder::on_log) hears.
    ///
    /// In the era of `initialize` this is a request, and holds for the session. In the stateless one nothing is sent: every later
    /// request says it for itself, and a server sends log messages of such requests alone.
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
    /// [`CallError`]; a server without a log answers that it does not know the method.
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<(), CallError> {
        match self.greeting.era() {
            Era::Initialize => {
                self.request::<SetLevel>(&SetLevelParams { level, meta: None }).await?;
                self.listeners.wants_log(level);
                Ok(())
            }
            Era::Stateless => {
                self.peer().set_log_level(Some(level));
                Ok(())
            }
        }
    }
}
