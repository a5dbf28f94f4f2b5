//! The names of hosts' sessions, under which calls are approved for one session.

use mgp_server_sdk::era;
use mgp_transport::seam::Session;
use std::sync::Arc;
use uuid::Uuid;

/// The name of a host's session, unique over all sessions and processes.
#[derive(Debug, Clone)]
struct SessionName(Arc<str>);

/// Returns the name of a host's session. `None` for a host without a session that outlives its request.
pub(crate) fn session_name(session: &Session) -> Option<Arc<str>> {
    let named = || SessionName(Uuid::now_v7().to_string().into());
    era::has_session(session).then(|| session.of_connection().get_or_insert_with(named).0)
}
