//! The mark of local hosts.

use mgp_transport::seam::Session;
use tokio_util::sync::CancellationToken;

/// The mark on the session of a host whose byte streams were passed to this process: its user is the local operator. The token is cancelled
/// when the host's connection is gone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Local(pub(crate) CancellationToken);

/// Returns whether the user of a session's host is the local operator.
pub(crate) fn is_local(session: &Session) -> bool {
    session.has::<Local>()
}
