//! §3.5, §3.6 The methods by which a client reports pending and decided permissions, each under its two names.

use super::table::DecisionTable;
use mgp_transport::seam::{Incoming, Reply, Role, RouteError, Routes, Session};
use mgp_types::permission::{
    AwaitPermission, GrantPermission, PermissionAck, PermissionDecision, PermissionRequestParams,
    RequestPermission, RespondPermission,
};

/// Returns the methods, which a built server mounts. A client's reports apply to its own session, or to its own connection in the
/// stateless era, and are only informative.
#[must_use]
pub fn routes() -> Routes {
    Routes::new()
        .route(RequestPermission, Role::Anyone, await_decisions)
        .route(AwaitPermission, Role::Anyone, await_decisions)
        .route(RespondPermission, Role::Anyone, decide)
        .route(GrantPermission, Role::Anyone, decide)
}

async fn await_decisions((): (), incoming: Incoming) -> Result<Reply, RouteError> {
    let request: PermissionRequestParams = incoming.params.decode()?;
    table(&incoming).await_decisions(&request.permissions)?;
    Ok(acknowledge(request.request_id))
}

async fn decide((): (), incoming: Incoming) -> Result<Reply, RouteError> {
    let decision: PermissionDecision = incoming.params.decode()?;
    table(&incoming).decide(&decision)?;
    Ok(acknowledge(decision.request_id))
}

/// Returns the decisions of the session. Without a session, reports are checked and dropped.
fn table(incoming: &Incoming) -> DecisionTable {
    let session = incoming.session().map(Session::of_connection);
    session.map(|session| session.get_or_insert_with(DecisionTable::default)).unwrap_or_default()
}

fn acknowledge(request_id: String) -> Reply {
    Reply::from_value(&PermissionAck { request_id, acknowledged: true })
}
