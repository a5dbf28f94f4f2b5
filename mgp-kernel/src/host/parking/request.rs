//! The identity of a parked call's request.

use mgp_transport::seam::{Incoming, Session};
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    mcp::subject_key,
    rpc::{ErrorObject, Method},
};

/// The identity of a request: its caller and its content. Another round of the same call must have the same identity.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    principal: Option<Principal>,
    method: Method,
    subject: Option<String>,
    arguments: Option<RawJson>,
}

impl Request {
    pub(super) fn of(incoming: &Incoming, params: &RawObject) -> Self {
        Self {
            principal: incoming.session().and_then(Session::get::<Principal>),
            method: incoming.method.clone(),
            subject: subject_key(&incoming.method).and_then(|key| params.text(key)),
            arguments: params.get("arguments").cloned(),
        }
    }

    pub(super) fn principal(&self) -> Option<&Principal> {
        self.principal.as_ref()
    }

    /// Returns whether another round belongs to this request. The host may reorder members of the arguments.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let arguments = |request: &Self| request.arguments.as_ref().map(RawJson::decode::<serde_json::Value>);
        self.principal == other.principal
            && self.method == other.method
            && self.subject == other.subject
            && (self.arguments == other.arguments || arguments(self) == arguments(other))
    }
}

/// Returns the error for a state that does not belong to a parked call of the host.
pub(super) fn unknown_state() -> ErrorObject {
    ErrorObject::invalid_params(
        "invalid requestState: expected the state in the last answer to this request; it may have expired",
    )
}
