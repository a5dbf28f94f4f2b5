//! Questions about a client that each era answers in its own way.

use mgp_transport::seam::Session;
use mgp_types::mcp::{ClientCapabilities, ProtocolVersion, tasks::ClientTasks};

/// Returns whether a client has a session that outlives its request. This client receives questions as requests over its
/// connection, and notifications of changes without asking. Any other client is asked in rounds of input, and must listen.
#[must_use]
pub fn has_session(session: &Session) -> bool {
    !session.is_of_one_request() && !session.get().is_some_and(ProtocolVersion::is_stateless)
}

/// Returns the support for tasks of a session's client; without a session there are no tasks.
#[must_use]
pub fn tasks_of(session: Option<&Session>) -> ClientTasks {
    let version = session.and_then(Session::get);
    let of = |said: &ClientCapabilities| ClientTasks::of(version, said);
    session.and_then(|session| session.read(of)).unwrap_or_else(|| of(&ClientCapabilities::default()))
}
