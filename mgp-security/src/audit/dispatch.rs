//! The event that is stored before a call is sent.

use super::{AuditSink, EventDraft};
use mgp_transport::seam::{Decision, Judge, Refusal, RefusalKind, ToolCall};
use mgp_types::context::RiskLevel;
use std::sync::Arc;

/// The type of the event.
const TOOL_DISPATCHED: &str = "dev.cloto.mgp.TOOL_DISPATCHED";

/// The gate that stores an event before a risky call is sent, so that the call leaves a trace even if the kernel is killed. It comes
/// after all other gates.
#[derive(Debug, Clone)]
pub struct DispatchEvents {
    sink: Arc<dyn AuditSink>,
    least: Option<RiskLevel>,
}

impl DispatchEvents {
    /// Creates a gate for calls of tools that are at least this risky. `None` stores no events.
    #[must_use]
    pub fn new(sink: Arc<dyn AuditSink>, least: Option<RiskLevel>) -> Self {
        Self { sink, least }
    }
}

impl Judge for DispatchEvents {
    fn judge(&self, call: &ToolCall) -> Decision {
        let risk = call.profile.risk;
        if call.dry_run || self.least.is_none_or(|least| risk < least) || !self.sink.keeps() {
            return Decision::Allow;
        }
        let draft = EventDraft::of_call(TOOL_DISPATCHED.into(), call).detail("risk_level", &risk);
        let stored = self.sink.record(draft.finish());
        Decision::wait(async move {
            stored.await.map_err(|error| Refusal::new(RefusalKind::Audit, error.refusal()))
        })
    }
}
