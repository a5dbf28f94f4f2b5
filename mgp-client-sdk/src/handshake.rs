//! §2 The client's side of the handshake, for the client of one server and for the kernel alike.

use mgp_transport::seam::{CallError, Peer};
use mgp_types::{
    mcp::{
        ClientCapabilities, Implementation, Initialize, InitializeParams, InitializeResult, Initialized,
        ProtocolVersion,
    },
    negotiation::{ExtensionSet, Negotiated, conclude, put_offer},
    rpc::Empty,
};

/// What a handshake brought.
#[derive(Debug, Clone)]
pub struct Greeting {
    /// What the server answered.
    pub server: InitializeResult,
    /// What was negotiated; none with a plain MCP server.
    pub negotiated: Option<Negotiated>,
}

/// Why there is no connection with a server.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum HandshakeError {
    /// The server refused, or is gone.
    #[error("failed to shake hands: {0}")]
    Call(#[from] CallError),
    /// The server speaks a revision of MCP that is not known here.
    #[error("failed to shake hands: the server speaks MCP {0:?}, expected one of {known}", known = known_versions())]
    Version(String),
}

fn known_versions() -> String {
    let known = ProtocolVersion::ALL.iter().filter(|version| !version.is_stateless());
    known.map(|version| version.as_str()).collect::<Vec<_>>().join(", ")
}

/// Asks for a connection and says that it stands, before anything else is asked, because some servers die on what comes
/// earlier. What was negotiated is kept in the session.
pub(crate) async fn shake_hands(
    peer: &Peer,
    client: Implementation,
    mut capabilities: ClientCapabilities,
    offered: Option<ExtensionSet>,
) -> Result<Greeting, HandshakeError> {
    if let Some(offered) = offered {
        put_offer(&mut capabilities.0, offered);
    }
    let params = InitializeParams::new(ProtocolVersion::LATEST_LEGACY, capabilities, client);
    let server = peer.request::<Initialize>(&params).await?;
    let known = server.protocol_version.parse::<ProtocolVersion>();
    if !known.is_ok_and(|version| !version.is_stateless()) {
        return Err(HandshakeError::Version(server.protocol_version));
    }
    let negotiated = offered.and_then(|offered| conclude(offered, &server.capabilities.0));
    if let Some(negotiated) = &negotiated {
        if negotiated.minor_differs() {
            tracing::warn!(version = %negotiated.version, "the server speaks another minor version of MGP");
        }
        peer.session().set(negotiated.clone());
    }
    peer.notice::<Initialized>(&Empty::default()).await?;
    Ok(Greeting { server, negotiated })
}
