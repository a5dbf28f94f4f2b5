//! The handshake of the era of `initialize`.

use super::{Greeting, HandshakeError, Hello};
use mgp_transport::seam::Peer;
use mgp_types::{
    mcp::{Initialize, InitializeParams, Initialized, ProtocolVersion},
    negotiation::put_offer,
    rpc::Empty,
};

/// Sends `initialize` and then `initialized`, before any other request, because some servers end on a request that comes earlier.
pub(super) async fn initialize(peer: &Peer, hello: &Hello) -> Result<Greeting, HandshakeError> {
    let mut capabilities = hello.capabilities.clone();
    if let Some(offered) = hello.offered {
        put_offer(&mut capabilities.0, offered);
    }
    let params = InitializeParams::new(ProtocolVersion::LATEST_LEGACY, capabilities, hello.client.clone());
    let server = peer.request::<Initialize>(&params).await?;
    let known = server.protocol_version.parse::<ProtocolVersion>();
    let Some(version) = known.ok().filter(|version| !version.is_stateless()) else {
        return Err(HandshakeError::Version { found: format!("{:?}", server.protocol_version) });
    };
    peer.notice::<Initialized>(&Empty::default()).await?;
    Ok(Greeting {
        version,
        negotiated: super::shake::conclude(hello, &server.capabilities),
        capabilities: server.capabilities,
        server_info: server.server_info,
        instructions: server.instructions,
    })
}
