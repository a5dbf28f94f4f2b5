//! Questions about a client that each era answers in its own way.

use mgp_transport::seam::Session;
use mgp_types::mcp::{ClientCapabilities, ProtocolVersion, tasks::ClientTasks};

/// Returns whether a client has a session that outlives its request: such a client is asked by requests over its connection, and told
/// of changes unasked. Any other is asked in rounds of input, and listens.
#[must_use]
pub fn has_session(session: &Session) -> bool {
    !session.is_of_one_request() && !session.get().is_some_and(ProtocolVersion::is_stateless)
}

/// Returns the support for tasks of the client of a session; without a session there are no tasks.
#[must_use]
pub fn tasks_of(session: Option<&Session>) -> ClientTasks {
    let said = session.and_then(Session::get::<ClientCapabilities>).unwrap_or_default();
    ClientTasks::of(session.and_then(Session::get), &said)
}
