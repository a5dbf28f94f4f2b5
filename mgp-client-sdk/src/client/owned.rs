//! The end of a client's connection and of its process, if there is one.

use crate::transport::Transport;
#[cfg(feature = "child")]
use mgp_transport::child::{ChildProcess, Grace};
use std::time::Duration;

/// The time limit for writing pending messages when the connection is closed.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// A client's connection and process, which end with it.
pub(super) struct Owned(Option<Parts>);

struct Parts {
    transport: Transport,
    #[cfg(feature = "child")]
    process: Option<ChildProcess>,
}

impl Owned {
    pub(super) fn new(transport: Transport) -> Self {
        Self(Some(Parts {
            transport,
            #[cfg(feature = "child")]
            process: None,
        }))
    }

    #[cfg(feature = "child")]
    pub(super) fn with_process(transport: Transport, process: ChildProcess) -> Self {
        Self(Some(Parts { transport, process: Some(process) }))
    }

    /// Returns the process, if there is one.
    #[cfg(feature = "child")]
    pub(super) fn process(&mut self) -> Option<&mut ChildProcess> {
        self.0.as_mut()?.process.as_mut()
    }

    /// Closes the connection. The process then has some time to notice the end of its input, and again some time after SIGTERM.
    pub(super) async fn close(mut self) {
        if let Some(parts) = self.0.take() {
            parts.close().await;
        }
    }
}

impl Parts {
    async fn close(self) {
        if tokio::time::timeout(CLOSE_TIMEOUT, self.transport.close()).await.is_err() {
            tracing::debug!("the server took nothing more while its connection was closed");
        }
        #[cfg(feature = "child")]
        if let Some(process) = self.process
            && let Err(error) = process.stop(Grace::default()).await
        {
            tracing::warn!(%error, "failed to end the process of a server");
        }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // A connection ends when it is dropped. A process needs somebody who waits for it; without a runtime it is killed.
        #[cfg(feature = "child")]
        if let Some(parts) = self.0.take_if(|parts| parts.process.is_some())
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(parts.close());
        }
    }
}
