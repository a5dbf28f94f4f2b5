//! Forwards the notifications of one call to the host.

use super::{Host, chunk::Chunks, progress::Steps};
use mgp_transport::seam::{CallError, Notification};
use mgp_types::{
    mcp,
    rpc::Notice,
    stream::{StreamChunk, StreamProgress},
};

/// Forwards the notifications of one call to a server to the host whose request it serves.
///
/// Ids and tokens are exchanged in place; content is never read. Chunks keep the indices that the server gave them: one
/// that is late or comes twice is dropped, and a gap is reported and survived. A host that did not ask for chunks gets
/// none; progress goes on the path that the host understands.
#[derive(Debug)]
pub struct Relay {
    host: Host,
    chunks: Chunks,
    steps: Steps,
}

/// What became of a notification.
#[derive(Debug, Clone, PartialEq)]
pub enum Relayed {
    /// The host was sent it.
    Sent,
    /// The host was not: it does not want it or could not understand it, or it came out of its place.
    Dropped,
    /// It is neither a chunk nor progress.
    Other(Notification),
}

impl Relay {
    /// A relay for one call.
    #[must_use]
    pub fn new(host: Host) -> Self {
        Self { host, chunks: Chunks::default(), steps: Steps::default() }
    }

    /// Forwards a notification. Waits while the host takes no bytes; meanwhile the call's own queue holds what comes.
    ///
    /// # Errors
    /// [`CallError`]: the connection to the host is gone.
    pub async fn forward(&mut self, notification: Notification) -> Result<Relayed, CallError> {
        let Self { host, chunks, steps } = self;
        match &*notification.method {
            StreamChunk::METHOD => chunks.forward(host, &notification.params).await,
            mcp::Progress::METHOD => steps.forward_mcp(host, &notification.params).await,
            StreamProgress::METHOD => steps.forward_mgp(host, &notification.params).await,
            _ => Ok(Relayed::Other(notification)),
        }
    }

    /// How many chunks the server left out so far.
    #[must_use]
    pub const fn missing_chunks(&self) -> u64 {
        self.chunks.order.missing()
    }

    /// The host.
    #[must_use]
    pub const fn host(&self) -> &Host {
        &self.host
    }
}
