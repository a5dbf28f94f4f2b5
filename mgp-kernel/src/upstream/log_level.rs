//! The log level of a server of the `initialize` era. It is the lowest level of any host, because such a server has one level for
//! all hosts. Each host gets only the messages of its own level.

use super::{Link, Server};
use mgp_types::mcp::{LoggingLevel, SetLevel};
use std::time::Duration;

/// The time limit of a server's answer. If it passes, the host's own request still succeeds.
const TIMEOUT: Duration = Duration::from_secs(5);

impl Server {
    /// Makes the server send log messages from `level` on, if it does not do so yet. Servers without a log, or that get the
    /// level with each request, are left out.
    pub(crate) async fn log_from(&self, link: &Link, level: LoggingLevel) {
        let Some(params) = link.session.lower_log_level(level) else { return };
        let control = link.control();
        match tokio::time::timeout(TIMEOUT, control.request::<SetLevel>(&params)).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                tracing::debug!(server = self.id(), %error, "the server did not accept its log level");
            }
            Err(_) => {
                tracing::debug!(
                    server = self.id(),
                    "the server did not answer the request for its log level"
                );
            }
        }
    }
}
