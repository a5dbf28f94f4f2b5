//! The log level of a server of the `initialize` era: the lowest level that any host asked for, because such a server has one level
//! for all hosts. Each host gets only the messages that its own level asks for.

use super::{Link, Server};
use mgp_types::mcp::{LoggingLevel, SetLevel};
use std::time::Duration;

/// The time limit of a server's answer. If it passes, the host's own request succeeds all the same.
const TIMEOUT: Duration = Duration::from_secs(5);

impl Server {
    /// Has the server send log messages from `level` on, if it does not do so yet. A server that has no log, or that takes the
    /// level from each request, is not told.
    pub(crate) async fn log_from(&self, link: &Link, level: LoggingLevel) {
        let Some(params) = link.session.lower_log_level(level) else { return };
        let control = link.control();
        match tokio::time::timeout(TIMEOUT, control.request::<SetLevel>(&params)).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                tracing::debug!(server = self.id(), %error, "the server did not take the level of its log");
            }
            Err(_) => {
                tracing::debug!(server = self.id(), "the server did not answer to the level of its log");
            }
        }
    }
}
