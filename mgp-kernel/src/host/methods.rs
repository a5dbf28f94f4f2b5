//! The handshake of a host of the era with sessions.

use super::{Hosts, Instructions, approver::shows_questions};
use mgp_server_sdk::{handshake::Handshake, lane};
use mgp_transport::seam::{Incoming, Reply, Role, RouteError, Routes, Session};
use mgp_types::{
    mcp::{ClientCapabilities, Initialize, add_extensions},
    negotiation::{Extension, answer, read_offer},
};
use std::sync::Arc;

/// The hosts, and their instructions.
pub(crate) type HandshakeParts = (Hosts, Arc<dyn Instructions>);

/// Returns `initialize` and `ping`.
pub(crate) fn routes() -> Routes<HandshakeParts> {
    lane::ping().route(Initialize, Role::Anyone, initialize)
}

async fn initialize((hosts, instructions): HandshakeParts, message: Incoming) -> Result<Reply, RouteError> {
    let (session, principal) = (message.session(), message.principal());
    let is_asked = session.is_some_and(|session| is_asked(&hosts, session, &message));
    let text = instructions.text(session, principal, is_asked).await;
    let mut handshake = Handshake { instructions: text, ..hosts.handshake().clone() };
    if let Some(principal) = principal {
        add_extensions(&mut handshake.capabilities.0, &instructions.extensions(principal));
    }
    Ok(handshake.answer(&message))
}

/// Returns whether the kernel will ask the user of a host that sends `initialize`. The session only has the host's capabilities once the
/// handshake is answered.
fn is_asked(hosts: &Hosts, session: &Session, message: &Incoming) -> bool {
    let params = message.params.object().ok();
    let capabilities =
        params.and_then(|params| params.decode::<ClientCapabilities>("capabilities").ok().flatten());
    let offer = capabilities.as_ref().and_then(|capabilities| read_offer(&capabilities.0));
    let agreed = offer.map(|offer| answer(&offer, &hosts.handshake().profile).negotiated);
    let answers_callbacks = agreed.is_some_and(|agreed| agreed.has(Extension::Callbacks));
    shows_questions(session, capabilities.as_ref(), answers_callbacks)
}
