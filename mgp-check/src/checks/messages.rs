//! The form of each message, over all sessions of the run.

use crate::{
    Area, Check,
    outcome::{Outcome, failed},
    session::FaultKind,
    visit::Visit,
};
use serde_json::json;

const fn check(id: &'static str, of: &'static str, rule: &'static str, run: crate::check::Run) -> Check {
    Check { id, area: Area::Messages, rule, of, run }
}

pub(super) const CHECKS: &[Check] = &[
    check("messages.ids", "MCP base", "An answer has the id of its request, of the same type.", |visit| {
        Box::pin(ids(visit))
    }),
    check("messages.version", "MCP base", "Every message has `\"jsonrpc\": \"2.0\"`.", |visit| {
        Box::pin(without(visit, &[FaultKind::Version]))
    }),
    check("messages.members", "MCP base", "An answer has either a result or an error.", |visit| {
        Box::pin(without(visit, &[FaultKind::Members]))
    }),
    check("messages.errors", "MCP base", "An error has an integer code and a message.", |visit| {
        Box::pin(without(visit, &[FaultKind::ErrorForm]))
    }),
    check("messages.once", "MCP base", "Each request is answered once.", |visit| {
        Box::pin(without(visit, &[FaultKind::Twice]))
    }),
    check("messages.asked", "MCP base", "Every answer belongs to a request.", |visit| {
        Box::pin(without(visit, &[FaultKind::Unasked]))
    }),
    check("messages.only", "MCP transports", "Only messages are written.", |visit| {
        Box::pin(without(visit, &[FaultKind::NoMessage]))
    }),
    check(
        "messages.declared",
        "MCP lifecycle",
        "The server sends only requests that the client declared.",
        |visit| Box::pin(without(visit, &[FaultKind::Asked])),
    ),
];

async fn ids(visit: &mut Visit) -> Outcome {
    let method = if visit.main.greeting.is_stateless { "server/discover" } else { "ping" };
    let session = &mut visit.main.session;
    let before = session.faults.len();
    for id in [json!("check-text"), json!(9_007_199_254_740_991_i64)] {
        session.request_as(id, method, json!({})).await;
    }
    // An answer that arrives now under an id that was never sent is an answer to these requests.
    for fault in session.faults.iter_mut().skip(before).filter(|fault| fault.kind == FaultKind::Unasked) {
        fault.kind = FaultKind::Id;
    }
    without(visit, &[FaultKind::Id]).await
}

async fn without(visit: &mut Visit, kinds: &[FaultKind]) -> Outcome {
    match visit.fault(kinds) {
        Some(fault) => failed(&fault.told),
        None => Ok("no message of the run breaks the rule".to_owned()),
    }
}
