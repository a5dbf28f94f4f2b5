//! Finds the era of a server and shakes hands with it there.

use super::{
    Era, EraChoice, Greeting, HandshakeError, Hello,
    discover::{Answer, discover},
    initialize::initialize,
};
use mgp_transport::seam::{CallError, Peer};
use mgp_types::{
    mcp::{McpErrorCode, ServerCapabilities},
    negotiation::{self, Negotiated},
};

/// Shakes hands with a server. What was negotiated is kept in the session.
///
/// # Errors
/// [`HandshakeError::EndedByProbe`] where the server must be started anew and spoken to in the era of `initialize`; else why
/// there is no connection.
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
        EraChoice::Auto { probe_time_limit } => {
            match tokio::time::timeout(probe_time_limit, discover(peer, &hello)).await {
                Ok(Ok(Answer::Stateless(greeting))) => return Ok(keep(peer, *greeting)),
                Ok(Ok(Answer::Earlier)) => initialize(peer, &hello).await.map_err(ended_by_probe)?,
                Ok(Err(error)) => return Err(ended_by_probe(error)),
                Err(_) => match initialize(peer, &hello).await {
                    Err(error) if refuses_initialize(&error) => return ask_again(peer, &hello, error).await,
                    greeting => greeting.map_err(ended_by_probe)?,
                },
            }
        }
    };
    Ok(keep(peer, greeting))
}

/// Whether a server says that it speaks other revisions. One that was too slow to answer the probe speaks the stateless ones since.
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

/// Some servers end at once at what they do not know, others after they have answered it.
fn ended_by_probe(error: HandshakeError) -> HandshakeError {
    match error {
        HandshakeError::Call(CallError::Connection(_) | CallError::Lost(_)) => HandshakeError::EndedByProbe,
        error => error,
    }
}

/// What holds of MGP, by what the server says it can do.
pub(super) fn conclude(hello: &Hello, capabilities: &ServerCapabilities) -> Option<Negotiated> {
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
