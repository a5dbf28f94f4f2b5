//! The options of a request that concern streaming.

use mgp_transport::seam::{Incoming, Peer, Session};
use mgp_types::{
    json::RawObject,
    mcp::ProgressToken,
    negotiation::{Extension, Negotiation},
    rpc::RequestId,
    stream::wants_stream,
};

/// The options of a request that concern streaming, with its caller.
#[derive(Debug, Clone)]
pub(crate) struct StreamOptions {
    pub(crate) peer: Peer,
    pub(crate) id: RequestId,
    /// The token that progress notifications name, if the caller gave one.
    pub(crate) token: Option<ProgressToken>,
    /// True if the caller negotiated `streaming` (§12).
    pub(crate) negotiated: bool,
    /// True if the caller negotiated `streaming` and asked for chunks.
    pub(crate) chunks: bool,
}

impl StreamOptions {
    /// Reads the options of a request; `None` for a notification, and for a message that came over no connection.
    pub(crate) fn by(incoming: &Incoming) -> Option<Self> {
        let (id, peer) = (incoming.id.clone()?, incoming.peer()?.clone());
        let negotiated = incoming.session().is_some_and(negotiated);
        let mut asked = Self { peer, id, token: None, negotiated, chunks: false };
        // Params that cannot be read ask for nothing; the handler reports the error in them.
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

/// Returns whether the other side negotiated `streaming` (§12).
fn negotiated(session: &Session) -> bool {
    session.get::<Negotiation>().is_some_and(|negotiated| negotiated.has(Extension::Streaming))
}

/// Sets a member of an object to a number, a text, or a struct of these.
pub(crate) fn member(object: &mut RawObject, key: &'static str, value: &impl serde::Serialize) {
    // Numbers, booleans and texts are always JSON.
    if let Ok(value) = mgp_types::json::RawJson::from_value(value) {
        object.insert(key, value);
    }
}
