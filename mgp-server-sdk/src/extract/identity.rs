//! The caller, and the trace that a call belongs to.

use super::FromCall;
use crate::Call;
use mgp_transport::seam::CallRecord;
use mgp_types::{
    context::{Principal, TraceId},
    request_meta,
};
use std::convert::Infallible;

/// The principal on whose behalf the call is made, according to the authentication of the session, never to the request. `None`
/// if the session is not authenticated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller(pub Option<Principal>);

impl FromCall for Caller {
    type Rejection = Infallible;

    async fn from_call(call: &Call) -> Result<Self, Infallible> {
        let of_message = call.incoming().principal().cloned();
        Ok(Self(of_message.or_else(|| call.session()?.get::<Principal>())))
    }
}

/// The identifier that links the call to others (§6.5): from a layer, otherwise from the request, otherwise a new one.
impl FromCall for TraceId {
    type Rejection = Infallible;

    async fn from_call(call: &Call) -> Result<Self, Infallible> {
        let incoming = call.incoming();
        let recorded = || CallRecord::of(incoming).and_then(|record| record.read().trace);
        let sent = || request_meta::trace_id(incoming.params.object().ok()?);
        let found = incoming.ext.get::<Self>().cloned().or_else(recorded).or_else(sent);
        Ok(found.unwrap_or_else(new_trace))
    }
}

fn new_trace() -> TraceId {
    loop {
        // A UUID is always a valid id.
        if let Some(trace) = TraceId::new(&uuid::Uuid::new_v4().to_string()) {
            return trace;
        }
    }
}
