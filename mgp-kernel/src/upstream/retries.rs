//! §14.6 The retries of calls to one server.

use super::ServerSpec;
use crate::ground::trail::Trail;
use mgp_lifecycle::{
    retry::{RetryLayer, RetryNote},
    state::StateMachine,
};
use mgp_security::audit::EventDraft;
use mgp_transport::seam::{Incoming, ToolCall};
use mgp_types::audit::{AuditEvent, AuditResult};
use std::sync::Arc;

/// The type of the event before a retry.
const TOOL_RETRIED: &str = "dev.cloto.mgp.TOOL_RETRIED";

/// Returns the layer that retries failed calls of a server. Before each retry, the call is judged again, and an event is
/// stored.
pub(super) fn retries(spec: &ServerSpec, machine: &StateMachine, trail: Arc<Trail>) -> RetryLayer {
    RetryLayer::new(spec.retries, spec.call_timeout).server(machine.clone()).before(move |message, note| {
        message.set_waited();
        let event = event(message, note);
        let trail = trail.clone();
        Box::pin(async move {
            match event {
                Some(event) => trail.sink.record(event).await.is_ok(),
                None => true,
            }
        })
    })
}

/// Returns the event of a retry; `None` for a request that is not a tool call.
fn event(message: &Incoming, note: RetryNote<'_>) -> Option<AuditEvent> {
    let call = ToolCall::of(message)?;
    let waited = u64::try_from(note.waited.as_millis()).unwrap_or(u64::MAX);
    let draft = EventDraft::of_call(TOOL_RETRIED.into(), call)
        .result(AuditResult::Failure)
        .detail("retry", &note.number)
        .detail("error_code", &note.error.code)
        .detail("waited_ms", &waited);
    Some(draft.finish())
}
