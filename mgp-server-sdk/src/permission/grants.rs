//! The decisions on permissions, for handlers.

use super::table::DecisionTable;
use crate::{Call, from_call::FromCall};
use jiff::Timestamp;
use mgp_transport::seam::Session;
use mgp_types::{
    json::RawJson,
    permission::{Permission, PermissionState},
};
use std::convert::Infallible;

/// The decisions on the server's permissions (§3.6), for a handler that can work with fewer permissions.
///
/// The client reports the decisions, and enforces them: it does not send a call of a tool whose permissions are not approved. So
/// a handler checks only the optional permissions of its tool, which the server lists with
/// [`permissions_required`](crate::Server::permissions_required). A plain MCP client reports nothing, nor does a client of the
/// stateless era over HTTP, which has no session.
///
/// ```
/// use mgp_server_sdk::{Server, Tool, permission::Grants};
/// use mgp_types::permission::StandardPermission::NetworkOutbound;
///
/// async fn weather(grants: Grants) -> &'static str {
///     if grants.has(NetworkOutbound) { "sunny, says the service" } else { "sunny, as of yesterday" }
/// }
///
/// let server = Server::new("weather", "1.0.0")
///     .permissions_required(["network.outbound"])
///     .tool(Tool::new("weather", "Says how the weather is", weather));
/// # server.build().unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct Grants(DecisionTable);

impl Grants {
    /// Returns whether a permission is approved, and the approval has not expired.
    #[must_use]
    pub fn has(&self, permission: impl Into<Permission>) -> bool {
        self.state(permission) == Some(PermissionState::Approved)
    }

    /// Returns the state of a permission, or `None` if the client has not reported it.
    #[must_use]
    pub fn state(&self, permission: impl Into<Permission>) -> Option<PermissionState> {
        self.0.state(&permission.into(), Timestamp::now())
    }

    /// Returns the limits of an approval, such as `{"paths": ["/srv"]}`; `None` if there are none.
    #[must_use]
    pub fn scope(&self, permission: impl Into<Permission>) -> Option<RawJson> {
        self.0.scope(&permission.into())
    }
}

impl FromCall for Grants {
    type Rejection = Infallible;

    async fn from_call(call: &Call) -> Result<Self, Infallible> {
        // The session's table is used even if it is still empty: decisions may arrive while the handler runs.
        let session = call.session().map(Session::of_connection);
        let table = session.map(|session| session.get_or_insert_with(DecisionTable::default));
        Ok(Self(table.unwrap_or_default()))
    }
}
