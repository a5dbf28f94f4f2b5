//! The mark of local hosts.

use mgp_transport::seam::Session;

/// The mark on the session of a host whose byte streams were passed to this process: its user is the local operator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Local;

/// Returns whether the user of a session's host is the local operator.
pub(crate) fn is_local(session: &Session) -> bool {
    session.has::<Local>()
}
