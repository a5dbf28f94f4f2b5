//! Forwards the notifications of one call to the host.

use super::{Host, chunk::Chunks, progress::Steps};
use mgp_transport::seam::{CallError, Notification};
use mgp_types::{
    mcp,
    rpc::Notice,
    stream::{StreamChunk, StreamProgress},
};

/// A relay of the notifications of one call to a server, to the host whose request it serves.
///
/// Ids and tokens are replaced in place; content is never read. Chunks keep the indices that the server gave them: a chunk that is late or
/// comes twice is dropped, and a gap is logged and does not end the stream. A host that did not ask for chunks gets none; progress goes on
/// the path that the host understands. One relay serves all rounds of input of a call. A server that begins again may repeat chunks or
/// progress; repeated ones are dropped.
#[derive(Debug)]
pub struct Relay {
    host: Host,
    chunks: Chunks,
    steps: Steps,
}

/// The result of forwarding a notification.
#[derive(Debug, Clone, PartialEq)]
pub enum RelayOutcome {
    /// The notification was sent to the host.
    Sent,
    /// The notification was dropped: the host does not want it or cannot understand it, or it came out of order.
    Dropped,
    /// The notification is neither a chunk nor progress.
    Other(Notification),
}

impl Relay {
    /// Creates a relay for one call.
    #[must_use]
    pub fn new(host: Host) -> Self {
        Self { host, chunks: Chunks::default(), steps: Steps::default() }
    }

    /// Forwards a notification. Waits while the host reads nothing; meanwhile the call's own queue holds what comes.
    ///
    /// # Errors
    /// [`CallError`] if the connection to the host is gone.
    pub async fn forward(&mut self, notification: Notification) -> Result<RelayOutcome, CallError> {
        let Self { host, chunks, steps } = self;
        match &*notification.method {
            StreamChunk::METHOD => chunks.forward(host, &notification.params).await,
            mcp::Progress::METHOD => steps.forward_mcp(host, &notification.params).await,
            StreamProgress::METHOD => steps.forward_mgp(host, &notification.params).await,
            _ => Ok(RelayOutcome::Other(notification)),
        }
    }

    /// Returns the number of chunks that the server has left out so far.
    #[must_use]
    pub const fn missing_chunks(&self) -> u64 {
        self.chunks.order.missing()
    }

    /// Returns the host.
    #[must_use]
    pub const fn host(&self) -> &Host {
        &self.host
    }
}
