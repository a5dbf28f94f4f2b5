//! Discovers a server of the stateless era, which has no handshake: it is asked for its revisions and capabilities.

use super::{Greeting, HandshakeError, Hello, valid::valid};
use mgp_transport::seam::{CallError, Peer};
use mgp_types::{
    error::ErrorCode,
    json::RawObject,
    mcp::{
        Discover, DiscoverResult, Implementation, McpErrorCode, ProtocolVersion,
        stateless::{RequestEnvelope, SERVER_INFO_KEY},
    },
    negotiation::{Carrier, offer},
    rpc::{Call, ErrorObject, RawResult},
};

/// The result of a discovery.
pub(super) enum Answer {
    /// The server speaks a stateless revision.
    Stateless(Box<Greeting>),
    /// The server speaks earlier revisions only.
    Earlier,
}

/// Sends `server/discover`. If the server speaks a stateless revision, each later request describes the client.
pub(super) async fn discover(peer: &Peer, hello: &Hello) -> Result<Answer, HandshakeError> {
    let mut version = ProtocolVersion::V2026_07_28;
    // A server that names its revisions is asked once more, with one of those.
    for last in [false, true] {
        let envelope = envelope(hello, version, true);
        match ask(peer, &envelope).await {
            Ok(result) => return Ok(answered(peer, hello, &result)),
            Err(CallError::Peer(error)) if !last => match next_version(&error) {
                Some(next) => version = next,
                None => return Ok(judge(error)?),
            },
            Err(CallError::Peer(error)) => return Ok(judge(error)?),
            // The server answered, but not like a server of this era.
            Err(CallError::Unreadable(_)) => return Ok(Answer::Earlier),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Answer::Earlier)
}

async fn ask(peer: &Peer, envelope: &RequestEnvelope) -> Result<RawResult, CallError> {
    let mut params = RawObject::new();
    envelope.write(&mut params);
    peer.request_raw(Discover::METHOD, params).await
}

/// Returns the client's description of itself for each request, which offers MGP if `with_mgp`.
pub(super) fn envelope(hello: &Hello, version: ProtocolVersion, with_mgp: bool) -> RequestEnvelope {
    let mut capabilities = hello.capabilities.clone();
    if let Some(offered) = hello.offered.filter(|_| with_mgp) {
        Carrier::Extensions.put(&mut capabilities.0, &offer(offered));
    }
    RequestEnvelope { version, capabilities, client_info: Some(hello.client.clone()), log_level: None }
}

fn answered(peer: &Peer, hello: &Hello, result: &RawResult) -> Answer {
    let result = valid(Discover::METHOD, result.clone());
    let Ok(found) = result.decode::<DiscoverResult>() else { return Answer::Earlier };
    let Some(version) = found.common_version() else { return Answer::Earlier };
    let negotiated = super::shake::conclude(hello, &found.capabilities);
    // A plain MCP server is not offered MGP again.
    peer.speak_stateless(envelope(hello, version, negotiated.is_some()));
    let info = found.meta.and_then(|meta| meta.decode::<Implementation>(SERVER_INFO_KEY).ok().flatten());
    Answer::Stateless(Box::new(Greeting {
        version,
        capabilities: found.capabilities,
        server_info: info.unwrap_or_else(|| Implementation::new("unknown", "unknown")),
        instructions: found.instructions,
        negotiated,
    }))
}

/// Returns the revision to try next, if the server names the ones that it supports.
fn next_version(error: &ErrorObject) -> Option<ProtocolVersion> {
    if error.code != i64::from(McpErrorCode::UnsupportedProtocolVersion) {
        return None;
    }
    let data = RawObject::from_json(error.data.as_ref()?).ok()?;
    let supported = data.decode::<Vec<String>>("supported").ok()??;
    let known = supported.iter().filter_map(|version| version.parse::<ProtocolVersion>().ok());
    known.filter(|version| version.is_stateless()).max()
}

/// Infers the era from an error. Returns the error if it comes from the path to the server, which reveals nothing about the era, or only exists
/// in the stateless era.
fn judge(error: ErrorObject) -> Result<Answer, CallError> {
    let of_the_way = [
        ErrorCode::AuthRequired,
        ErrorCode::AccessDenied,
        ErrorCode::RateLimited,
        ErrorCode::UpstreamUnavailable,
        ErrorCode::Timeout,
    ];
    let stateless = [McpErrorCode::HeaderMismatch, McpErrorCode::MissingRequiredClientCapability];
    let is_stateless = stateless.map(i64::from).contains(&error.code);
    if is_stateless || of_the_way.map(i64::from).contains(&error.code) {
        return Err(CallError::Peer(error));
    }
    Ok(Answer::Earlier)
}
