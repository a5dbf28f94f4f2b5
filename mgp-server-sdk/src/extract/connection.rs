//! The client, its session, and what was negotiated with it.

use super::FromCall;
use crate::{Call, Notifier, ToolError};
use mgp_transport::seam::{CancelToken, Peer, Session};
use mgp_types::{negotiation::Negotiation, rpc::ErrorObject};
use std::convert::Infallible;

/// The error of a call that was not received over a connection: there is no client to send anything to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoConnection;

impl From<NoConnection> for ToolError {
    fn from(_: NoConnection) -> Self {
        Self::protocol(ErrorObject::internal("internal error: the call has no connection"))
    }
}

impl FromCall for Peer {
    type Rejection = NoConnection;

    async fn from_call(call: &Call) -> Result<Self, NoConnection> {
        call.peer().cloned().ok_or(NoConnection)
    }
}

impl FromCall for Session {
    type Rejection = NoConnection;

    async fn from_call(call: &Call) -> Result<Self, NoConnection> {
        call.session().cloned().ok_or(NoConnection)
    }
}

/// Rejects the call of a plain MCP client. For tools that are useless without MGP.
impl FromCall for Negotiation {
    type Rejection = ToolError;

    async fn from_call(call: &Call) -> Result<Self, ToolError> {
        let negotiated = call.session().and_then(Session::get::<Self>);
        negotiated.ok_or_else(|| ToolError::new("this needs a client that supports MGP"))
    }
}

impl FromCall for Option<Negotiation> {
    type Rejection = Infallible;

    async fn from_call(call: &Call) -> Result<Self, Infallible> {
        Ok(call.session().and_then(Session::get::<Negotiation>))
    }
}

/// The cancel token of the call. A handler is dropped when its call is cancelled, so only work that it has started elsewhere
/// needs the token.
impl FromCall for CancelToken {
    type Rejection = Infallible;

    async fn from_call(call: &Call) -> Result<Self, Infallible> {
        Ok(call.incoming().cancel_token().cloned().unwrap_or_default())
    }
}

impl FromCall for Notifier {
    type Rejection = Infallible;

    async fn from_call(call: &Call) -> Result<Self, Infallible> {
        Ok(call.app().notifier.clone())
    }
}
