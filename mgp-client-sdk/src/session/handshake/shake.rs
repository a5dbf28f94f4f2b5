//! Determines the era of a server and performs the handshake of that era.

use super::{
    Era, EraChoice, Greeting, HandshakeError, Hello,
    discover::{Answer, discover},
    initialize::initialize,
};
use mgp_transport::seam::{CallError, Peer};
use mgp_types::{
    mcp::{McpErrorCode, ServerCapabilities},
    negotiation::{self, Negotiation},
};

/// Performs the handshake with a server. The outcome of the negotiation is stored in the session.
///
/// # Errors
/// [`HandshakeError::EndedByProbe`] if the server must be started again and spoken to in the era of `initialize`; any other
/// [`HandshakeError`] if the handshake failed.
pub(crate) async fn shake_hands(
    peer: &Peer,
    hello: Hello,
    choice: EraChoice,
) -> Result<Greeting, HandshakeError> {
    let greeting = match choice {
        EraChoice::Known(Era::Initialize) => initialize(peer, &hello).await?,
        EraChoice::Known(Era::Stateless) => match discover(peer, &hello).await? {
            Answer::Stateless(greeting) => return Ok(keep(peer, *greeting)),
            Answer::Earlier => {
                return Err(HandshakeError::Version { found: "revisions with initialize alone".into() });
            }
        },
        EraChoice::Auto { probe_timeout } => {
            match tokio::time::timeout(probe_timeout, discover(peer, &hello)).await {
                Ok(Ok(Answer::Stateless(greeting))) => return Ok(keep(peer, *greeting)),
                Ok(Ok(Answer::Earlier)) => initialize(peer, &hello).await.map_err(ended_by_probe)?,
                Ok(Err(error)) => return Err(ended_by_probe(error)),
                Err(_) => {
                    tracing::warn!(
                        limit = ?probe_timeout,
                        "the server did not answer `server/discover` in time, so it is spoken to in the era of `initialize`"
                    );
                    match initialize(peer, &hello).await {
                        Err(error) if refuses_initialize(&error) => {
                            return ask_again(peer, &hello, error).await;
                        }
                        greeting => greeting.map_err(ended_by_probe)?,
                    }
                }
            }
        }
    };
    Ok(keep(peer, greeting))
}

/// Returns `true` if the server answers `initialize` with the revisions that it speaks instead, as a stateless server does that was
/// too slow to answer the probe.
fn refuses_initialize(error: &HandshakeError) -> bool {
    matches!(error, HandshakeError::Call(CallError::Peer(error))
        if error.code == i64::from(McpErrorCode::UnsupportedProtocolVersion))
}

async fn ask_again(peer: &Peer, hello: &Hello, refused: HandshakeError) -> Result<Greeting, HandshakeError> {
    match discover(peer, hello).await? {
        Answer::Stateless(greeting) => Ok(keep(peer, *greeting)),
        Answer::Earlier => Err(refused),
    }
}

/// Maps a lost connection to [`HandshakeError::EndedByProbe`]. Some servers end as soon as they read an unknown request, others
/// after they have answered it.
fn ended_by_probe(error: HandshakeError) -> HandshakeError {
    match error {
        HandshakeError::Call(CallError::Connection(_) | CallError::Lost(_)) => HandshakeError::EndedByProbe,
        error => error,
    }
}

/// Concludes the negotiation of MGP from the server's capabilities.
pub(super) fn conclude(hello: &Hello, capabilities: &ServerCapabilities) -> Option<Negotiation> {
    negotiation::conclude(hello.offered?, &capabilities.0)
}

fn keep(peer: &Peer, greeting: Greeting) -> Greeting {
    if let Some(negotiated) = &greeting.negotiated {
        if negotiated.minor_differs() {
            tracing::warn!(version = %negotiated.version, "the server speaks another minor version of MGP");
        }
        peer.session().set(negotiated.clone());
    }
    peer.session().set(greeting.version);
    greeting
}
