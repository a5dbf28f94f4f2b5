//! The host that a relay serves.

use crate::{options::StreamOptions, sink::CallStream};
use mgp_transport::seam::{Incoming, Peer};
use mgp_types::{mcp::ProgressToken, rpc::RequestId};

/// The host that a relay serves: its connection, its request, and the notifications that it understands.
#[derive(Debug, Clone)]
pub struct Host {
    pub(super) asked: StreamOptions,
    pub(super) stream: Option<CallStream>,
}

impl Host {
    /// Creates a plain MCP host that wants no progress.
    #[must_use]
    pub fn new(peer: Peer, request_id: RequestId) -> Self {
        let asked = StreamOptions { peer, id: request_id, token: None, negotiated: false, chunks: false };
        Self { asked, stream: None }
    }

    /// Returns the host that sent a request, with all options of the request; `None` for a message that is not a host's request.
    #[must_use]
    pub fn of(incoming: &Incoming) -> Option<Self> {
        Some(Self { asked: StreamOptions::by(incoming)?, stream: CallStream::of(incoming).cloned() })
    }

    /// Sets the token that the host's progress notifications name.
    #[must_use]
    pub fn progress_token(mut self, token: ProgressToken) -> Self {
        self.asked.token = Some(token);
        self
    }

    /// Marks the host as one that negotiated `streaming`; `chunks` is true if this request asks for chunks.
    #[must_use]
    pub fn streaming(mut self, chunks: bool) -> Self {
        self.asked.negotiated = true;
        self.asked.chunks = chunks;
        self
    }

    /// Marks the request as not asking for chunks.
    #[must_use]
    pub fn without_chunks(mut self) -> Self {
        self.asked.chunks = false;
        self
    }

    /// Returns whether the host takes progress.
    #[must_use]
    pub const fn wants_progress(&self) -> bool {
        self.asked.token.is_some() || self.asked.negotiated
    }
}
