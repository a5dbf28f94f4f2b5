//! The host whose request a relay serves.

use crate::{asked::Asked, progress::ProgressPath, sink::CallStream};
use mgp_transport::seam::{Incoming, Peer};
use mgp_types::{json::RawObject, mcp::ProgressToken, rpc::RequestId};

/// The host whose request a relay serves: who, which request, and what it understands.
#[derive(Debug, Clone)]
pub struct Host {
    pub(super) asked: Asked,
    pub(super) stream: Option<CallStream>,
}

impl Host {
    /// A plain MCP host that wants no progress.
    #[must_use]
    pub fn new(peer: Peer, request_id: RequestId) -> Self {
        let asked = Asked { peer, id: request_id, token: None, negotiated: false, chunks: false };
        Self { asked, stream: None }
    }

    /// The host that sent a request, with all that the request asks for; `None` for what is no request of a host.
    #[must_use]
    pub fn of(incoming: &Incoming) -> Option<Self> {
        Some(Self { asked: Asked::by(incoming)?, stream: incoming.ext.get::<CallStream>().cloned() })
    }

    /// The same host with the token that it wants progress to name.
    #[must_use]
    pub fn progress_token(mut self, token: ProgressToken) -> Self {
        self.asked.token = Some(token);
        self
    }

    /// The same host, which negotiated `streaming`; `chunks` says whether this request asks for them.
    #[must_use]
    pub fn streaming(mut self, chunks: bool) -> Self {
        self.asked.negotiated = true;
        self.asked.chunks = chunks;
        self
    }

    /// Makes the `_meta` of the params for the server ask for what the host can take: progress, naming the call by its own id.
    /// Returns whether that changed it.
    pub fn ask_server(&self, meta: &mut RawObject, call_id: i64) -> bool {
        if ProgressPath::to(&self.asked).is_some() {
            meta.insert("progressToken", RequestId::from(call_id).to_json());
            return true;
        }
        meta.remove("progressToken").is_some()
    }
}
