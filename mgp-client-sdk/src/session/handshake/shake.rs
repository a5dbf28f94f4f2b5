//! Determines the era of a server and performs the handshake of that era.

use super::{
    Era, EraChoice, Greeting, HandshakeError, Hello,
    discover::{Answer, discover},
    initialize::initialize,
};
use crate::call_clock::CallClock;
use mgp_transport::seam::{CallError, Peer};
use mgp_types::{
    error::{ErrorCode, Recovery},
    mcp::{McpErrorCode, ServerCapabilities},
    negotiation::{self, Negotiation},
    rpc::JsonRpcCode,
};

/// Performs the handshake with a server. The outcome of the negotiation is stored in the session. Pauses of `clock` do not count as silence
/// of the server.
///
/// # Errors
/// [`HandshakeError::EndedByProbe`] if the server must be restarted and used in the era of `initialize`; any other
/// [`HandshakeError`] if the handshake failed.
pub(in crate::session) async fn shake_hands(
    peer: &Peer,
    hello: Hello,
    choice: EraChoice,
    clock: &CallClock,
) -> Result<Greeting, HandshakeError> {
    let greeting = match choice {
        EraChoice::Known(Era::Initialize) => initialize(peer, &hello).await?,
        EraChoice::Known(Era::Stateless) => match discover(peer, &hello).await? {
            Answer::Stateless(greeting) => return Ok(keep(peer, *greeting)),
            Answer::Earlier => {
                return Err(HandshakeError::Version { found: "only revisions with initialize".into() });
            }
        },
        EraChoice::Auto { probe_timeout } => {
            match clock.within(probe_timeout, discover(peer, &hello)).await {
                Some(Ok(Answer::Stateless(greeting))) => return Ok(keep(peer, *greeting)),
                Some(Ok(Answer::Earlier)) => initialize(peer, &hello).await.map_err(ended_by_probe)?,
                Some(Err(error)) if !is_no_answer(&error) => return Err(ended_by_probe(error)),
                // The server may be of either era.
                unanswered => {
                    if unanswered.is_none() {
                        tracing::warn!(
                            limit = ?probe_timeout,
                            "the server did not answer `server/discover` in time, so the era of `initialize` is used"
                        );
                    }
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

/// Returns `true` if the probe had no answer that reveals the era: a server, or a proxy before it, failed on an unknown method, forbade it, or
/// closed the connection. A server that was not reached, or that requires rights, is not tried in the other era.
fn is_no_answer(error: &HandshakeError) -> bool {
    let HandshakeError::Call(CallError::Peer(error)) = error else { return false };
    match ErrorCode::from_code(error.code) {
        // A proxy may forbid an unknown method, whatever the rights of the client.
        Some(ErrorCode::AccessDenied) => true,
        Some(ErrorCode::UpstreamUnavailable | ErrorCode::Timeout) => {
            Recovery::from_error(error).is_some_and(|advice| advice.is_outcome_unknown())
        }
        _ => false,
    }
}

/// Returns `true` if the server does not know `initialize`, like a stateless server that was too slow for the probe, or failed on it.
fn refuses_initialize(error: &HandshakeError) -> bool {
    let HandshakeError::Call(CallError::Peer(error)) = error else { return false };
    let refusals: [i64; 3] = [
        McpErrorCode::UnsupportedProtocolVersion.into(),
        JsonRpcCode::MethodNotFound.into(),
        // An HTTP status, such as 404.
        ErrorCode::UpstreamError.into(),
    ];
    refusals.contains(&error.code)
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
