//! §3.5, §3.6 The methods by which a client tells what it waits for and what was decided, each under its two names.

use super::table::DecisionTable;
use mgp_transport::seam::{Incoming, Reply, Role, RouteError, Routes, Session};
use mgp_types::permission::{
    AwaitPermission, GrantPermission, PermissionAck, PermissionDecision, PermissionRequestParams,
    RequestPermission, RespondPermission,
};

/// Returns the methods, which a built server mounts. What a client tells holds for its own session, or its own connection in the stateless era,
/// and only informs.
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

/// Returns the decisions of the session. What is told in no session is checked and forgotten.
fn table(incoming: &Incoming) -> DecisionTable {
    let session = incoming.session().map(Session::of_connection);
    session.map(|session| session.get_or_insert_with(DecisionTable::default)).unwrap_or_default()
}

fn acknowledge(request_id: String) -> Reply {
    Reply::from_value(&PermissionAck { request_id, acknowledged: true })
}
