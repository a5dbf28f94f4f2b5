//! A call whose event is not recorded yet.

use super::{EventDraft, TOOL_CHECKED, open_event::Droppable};
use mgp_transport::seam::{CallRecord, Record, RefusalKind, Reply, ToolCall};
use mgp_types::{
    audit::{AuditEvent, AuditEventType, AuditResult},
    context::{Principal, RiskLevel, Target, TraceId},
    mcp::CallToolResult,
};
use std::{fmt, sync::Arc, time::Instant};

/// The reason of a call whose result says that it failed. The result's text may have secrets, and is not recorded.
const TOOL_ERROR: &str = "the tool reported an error, whose text only its caller has";

/// A call whose event is not recorded yet.
pub(super) struct OpenCall {
    target: Arc<Target>,
    record: CallRecord,
    trace: Option<TraceId>,
    risk: Option<RiskLevel>,
    started: Instant,
    dry_run: bool,
}

/// The end of a call.
pub(super) enum CallEnd<'a> {
    Reply(&'a Reply),
    Failed(&'a dyn fmt::Display),
    Dropped,
}

impl OpenCall {
    pub(super) fn begin<P>(call: &ToolCall<P>) -> Self {
        Self {
            target: call.target.clone(),
            record: call.record.clone(),
            trace: call.trace.clone(),
            // An unknown name has no server and no risk.
            risk: (!call.target.tool.server_id.is_empty()).then_some(call.profile.risk),
            started: Instant::now(),
            dry_run: call.dry_run,
        }
    }

    /// Returns whether the call was sent to a server.
    pub(super) fn was_sent(&self) -> bool {
        self.record.update(|record| record.attempts > 0)
    }

    pub(super) fn event(&self, ending: &CallEnd<'_>) -> AuditEvent {
        self.record.update(|record| self.event_of(record, ending))
    }

    fn event_of(&self, record: &Record, ending: &CallEnd<'_>) -> AuditEvent {
        let (event_type, result) = judge(record, ending);
        let event_type = if self.dry_run { TOOL_CHECKED.into() } else { event_type };
        let is_executed = event_type == AuditEventType::ToolExecuted;
        let nobody = Principal::agent("unauthenticated");
        let actor = record.principal.as_ref().unwrap_or(&nobody);
        let mut draft = EventDraft::new(event_type, actor)
            .server(&self.target.tool.server_id)
            .tool(&self.target.tool.tool_name)
            .result(result);
        if let Some(trace) = record.trace.as_ref().or(self.trace.as_ref()) {
            draft = draft.trace(trace);
        }
        if let Some(risk) = record.risk.or(self.risk) {
            draft = draft.detail("risk_level", &risk);
        }
        if let Some(intent) = &record.intent {
            draft = draft.detail("intent", intent.as_str());
        }
        if let Some(validator) = &record.validator {
            draft = draft.detail("validator_applied", validator);
        }
        let elapsed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        // A stack that does not count attempts made one if a service answered. A replayed answer is marked as such.
        let is_uncounted = record.attempts == 0 && record.answered.is_none() && record.refusal.is_none();
        let attempts = match !self.dry_run && is_uncounted && is_answered(ending) {
            true => 1,
            false => record.attempts,
        };
        draft = draft.detail("duration_ms", &elapsed).detail("attempts", &attempts);
        if let CallEnd::Reply(reply) = ending
            && let Some(result) = reply.result().filter(|_| is_executed)
        {
            draft = draft.detail("result_bytes", &result.as_bytes().len());
        }
        if !record.questions.is_empty() {
            draft = draft.detail("would_ask", &record.questions);
        }
        if matches!(ending, CallEnd::Dropped)
            || matches!(ending, CallEnd::Reply(reply) if reply.is_cancelled())
        {
            draft = draft.detail("cancelled", &true);
        }
        if let Some(reason) = reason(record, ending) {
            draft = draft.detail("reason", &reason);
        }
        record.details.iter().fold(draft, |draft, (key, value)| draft.detail(key, value)).finish()
    }
}

/// Returns the type of the call's event, and the outcome.
fn judge(record: &Record, ending: &CallEnd<'_>) -> (AuditEventType, AuditResult) {
    if let Some(refusal) = &record.refusal {
        let event_type = match refusal.kind {
            RefusalKind::Validation => AuditEventType::ValidationFailed,
            RefusalKind::CodeSafety => AuditEventType::CodeRejected,
            // Every other gate, future ones included, blocks the tool.
            _ => AuditEventType::ToolBlocked,
        };
        return (event_type, AuditResult::Blocked);
    }
    // A call that was never sent and has no result did not reach a server, whatever stopped it.
    if record.attempts == 0 && !is_answered(ending) {
        return (AuditEventType::ToolBlocked, AuditResult::Blocked);
    }
    let success = matches!(ending, CallEnd::Reply(reply) if succeeded(reply));
    (AuditEventType::ToolExecuted, if success { AuditResult::Success } else { AuditResult::Failure })
}

/// Returns whether a call ended with a result.
fn is_answered(ending: &CallEnd<'_>) -> bool {
    matches!(ending, CallEnd::Reply(reply) if reply.result().is_some() && !reply.is_cancelled())
}

fn succeeded(reply: &Reply) -> bool {
    !reply.is_cancelled()
        && reply.as_error().is_none()
        && !reply.result().is_some_and(CallToolResult::says_error)
}

fn reason(record: &Record, ending: &CallEnd<'_>) -> Option<String> {
    if let Some(refusal) = &record.refusal {
        return Some(refusal.reason.clone());
    }
    match ending {
        CallEnd::Reply(reply) if reply.result().is_some_and(CallToolResult::says_error) => {
            Some(TOOL_ERROR.to_owned())
        }
        CallEnd::Reply(reply) => reply.as_error().map(ToString::to_string),
        CallEnd::Failed(error) => Some(error.to_string()),
        CallEnd::Dropped => Some("the call was dropped before it ended".to_owned()),
    }
}

impl Droppable for OpenCall {
    fn dropped(self) -> AuditEvent {
        self.event(&CallEnd::Dropped)
    }
}
