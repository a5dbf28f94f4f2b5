//! The end of a client's connection and of its process, if there is one.

use crate::session::ServerConnection;
use std::time::Duration;

/// The time limit for writing pending messages when the connection is closed.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// A client's connection and process, which end with it.
pub(super) struct OwnedConnection {
    connection: Option<ServerConnection>,
    /// The time limit for a process to end, after which it is killed.
    grace: Duration,
}

impl OwnedConnection {
    pub(super) fn new(connection: ServerConnection, grace: Duration) -> Self {
        Self { connection: Some(connection), grace }
    }

    /// Closes the connection. The process then has some time to react to the end of its input, and the same time again to react
    /// to SIGTERM.
    pub(super) async fn close(mut self) {
        if let Some(connection) = self.connection.take() {
            connection.close(CLOSE_TIMEOUT, self.grace).await;
        }
    }
}

impl Drop for OwnedConnection {
    fn drop(&mut self) {
        // A connection ends when it is dropped. A process needs a task that waits for it; without a runtime it is killed.
        #[cfg(feature = "child")]
        if let Some(connection) = self.connection.take_if(|connection| connection.has_process())
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(connection.close(CLOSE_TIMEOUT, self.grace));
        }
    }
}
