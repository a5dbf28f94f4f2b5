//! The end of a client's connection and of its process, if there is one.

use crate::session::ServerConnection;
use std::time::Duration;

/// The time limit for writing pending messages when the connection is closed.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// The time limit for a process to end, after which it is killed.
const GRACE: Duration = Duration::from_secs(4);

/// A client's connection and process, which end with it.
pub(super) struct Owned(Option<ServerConnection>);

impl Owned {
    pub(super) fn new(connection: ServerConnection) -> Self {
        Self(Some(connection))
    }

    /// Closes the connection. The process then has some time to notice the end of its input, and again some time after SIGTERM.
    pub(super) async fn close(mut self) {
        if let Some(connection) = self.0.take() {
            connection.close(CLOSE_TIMEOUT, GRACE).await;
        }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // A connection ends when it is dropped. A process needs somebody who waits for it; without a runtime it is killed.
        #[cfg(feature = "child")]
        if let Some(connection) = self.0.take_if(|connection| connection.has_process())
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(connection.close(CLOSE_TIMEOUT, GRACE));
        }
    }
}
