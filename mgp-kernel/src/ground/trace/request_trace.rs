//! The trace of requests that the kernel makes on its own account, such as those for lists and health.

use super::span::new_id;
use mgp_security::audit::{current_trace, new_trace};
use mgp_transport::seam::Session;
use mgp_types::{json::RawObject, mgp_member, negotiation::Negotiation, request_meta};

/// Adds a trace to the params of a request to a server (§6.5), unless they contain one: for every server as W3C's `traceparent`, and for
/// one that negotiated MGP also as `_mgp.trace_id`.
pub(crate) fn add_trace(params: &mut RawObject, session: &Session) {
    let trace = request_meta::trace_id(params).or_else(current_trace).unwrap_or_else(new_trace);
    let has_member = || mgp_member::read(params).is_some_and(|mgp| mgp.get("trace_id").is_some());
    if session.has::<Negotiation>() && !has_member() {
        request_meta::set_trace_id(params, &trace);
    }
    params.edit("_meta", |meta| {
        if meta.get("traceparent").is_some() {
            return false;
        }
        // A trace that a host named may not have this form.
        let Some(parent) = trace.traceparent(new_id(), true) else { return false };
        request_meta::set_traceparent(meta, &parent);
        true
    });
}
