//! What a request asks for, and what its caller can take.

use mgp_transport::seam::{Incoming, Peer, Session};
use mgp_types::{
    json::RawObject,
    mcp::ProgressToken,
    negotiation::{Extension, Negotiated},
    rpc::RequestId,
    stream::wants_stream,
};

/// What a request asks for, and what its caller can take.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) peer: Peer,
    pub(crate) id: RequestId,
    /// What the caller wants progress to name.
    pub(crate) token: Option<ProgressToken>,
    /// Whether the caller understands §12.
    pub(crate) negotiated: bool,
    /// Whether the caller understands chunks and wants them.
    pub(crate) chunks: bool,
}

impl Asked {
    /// What a request asks for; `None` for a notification, and for a message that came over no connection.
    pub(crate) fn by(incoming: &Incoming) -> Option<Self> {
        let (id, peer) = (incoming.id.clone()?, incoming.peer()?.clone());
        let negotiated = incoming.session().is_some_and(negotiated);
        let mut asked = Self { peer, id, token: None, negotiated, chunks: false };
        // Params that cannot be read ask for nothing; the handler says what is wrong with them.
        let Ok(params) = incoming.params.object() else { return Some(asked) };
        let meta = params.object("_meta");
        asked.token = meta
            .as_ref()
            .and_then(|meta| RequestId::from_json(meta.get("progressToken")?).ok().map(ProgressToken));
        let mgp = params.object("_mgp").or_else(|| meta.as_ref()?.object("mgp"));
        asked.chunks = negotiated && mgp.as_ref().is_some_and(wants_stream);
        Some(asked)
    }
}

/// Whether the other side understands §12.
fn negotiated(session: &Session) -> bool {
    session.get::<Negotiated>().is_some_and(|negotiated| negotiated.has(Extension::Streaming))
}

/// Sets a member to a number, a text, or a struct of these.
pub(crate) fn member(object: &mut RawObject, key: &'static str, value: &impl serde::Serialize) {
    // Numbers, booleans and texts are always JSON.
    if let Ok(value) = mgp_types::json::RawJson::from_value(value) {
        object.insert(key, value);
    }
}
