//! The handshake of the era of `initialize`.

use super::{Greeting, HandshakeError, Hello, valid::valid};
use mgp_transport::seam::{CallError, Peer};
use mgp_types::{
    json::RawObject,
    mcp::{Initialize, InitializeParams, InitializeResult, Initialized, ProtocolVersion},
    negotiation::put_offer,
    rpc::{Call, Empty, ErrorObject, RawParams},
};

/// Sends `initialize` and then `initialized`, before any other request, because some servers end on a request that comes earlier.
pub(super) async fn initialize(peer: &Peer, hello: &Hello) -> Result<Greeting, HandshakeError> {
    let mut capabilities = hello.capabilities.clone();
    if let Some(offered) = hello.offered {
        put_offer(&mut capabilities.0, offered);
    }
    let newest = ProtocolVersion::LATEST_LEGACY;
    let ask = async |version| -> Result<InitializeResult, CallError> {
        let params = InitializeParams::new(version, capabilities.clone(), hello.client.clone());
        let params = RawParams::from_value(&params).map_err(CallError::Params)?;
        let answer = valid(Initialize::METHOD, peer.request_raw(Initialize::METHOD, params).await?);
        answer.decode().map_err(|error| CallError::Result { method: Initialize::METHOD, error })
    };
    let server = match ask(newest).await {
        // Some servers refuse a revision that they do not know, where others answer with their own.
        Err(CallError::Peer(error)) => match named_version(&error).filter(|named| *named != newest) {
            Some(version) => ask(version).await?,
            None => return Err(CallError::Peer(error).into()),
        },
        answer => answer?,
    };
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

/// Returns the newest revision with `initialize` that an error names as one that the server speaks.
fn named_version(error: &ErrorObject) -> Option<ProtocolVersion> {
    let data = RawObject::from_json(error.data.as_ref()?).ok()?;
    let supported = data.decode::<Vec<String>>("supported").ok()??;
    let known = supported.iter().filter_map(|version| version.parse::<ProtocolVersion>().ok());
    known.filter(|version| !version.is_stateless()).max()
}
