//! The handshake of the era of `initialize`.

use super::{Greeting, HandshakeError, Hello, valid::valid};
use mgp_transport::seam::{CallError, Peer};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{Initialize, InitializeParams, InitializeResult, Initialized, ProtocolVersion},
    negotiation::put_offer,
    rpc::{Call, Empty, ErrorObject, RawParams},
};

/// Sends `initialize` and then `initialized`, before any other request, because some servers end on an earlier request.
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
        // Some servers reject an unknown revision, while others answer with their own.
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

/// Returns the newest revision with `initialize` that an error names as supported.
fn named_version(error: &ErrorObject) -> Option<ProtocolVersion> {
    let data = error.data.as_ref().and_then(|data| RawObject::from_json(data).ok()).unwrap_or_default();
    let members = ["supported", "supportedVersions"].into_iter().filter_map(|member| data.get(member));
    let texts = members.flat_map(|named| match named.to_text() {
        Some(version) => vec![version],
        // List entries other than text name no version.
        None => {
            named.decode::<Vec<RawJson>>().unwrap_or_default().iter().filter_map(RawJson::to_text).collect()
        }
    });
    let known = texts.filter_map(|version| version.parse::<ProtocolVersion>().ok());
    known.filter(|version| !version.is_stateless()).max()
}
