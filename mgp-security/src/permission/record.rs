//! Decisions, together with the events that record them.

use super::{DecisionError, RecordFuture};
use crate::audit::{AuditSink, EventDraft};
use jiff::Timestamp;
use mgp_types::{
    context::{ActorType, Principal},
    rpc::ErrorObject,
};
use std::sync::Arc;

/// The type of the event that records that a question waits for a decision.
pub const APPROVAL_NEEDED: &str = "dev.cloto.mgp.APPROVAL_NEEDED";

/// Records that a question waits for a decision. The question waits even if the trail cannot be written.
pub(super) async fn record_question(sink: &Arc<dyn AuditSink>, event: EventDraft) {
    if let Err(error) = sink.record(event.finish()).await {
        tracing::error!(%error, "a question that waits for an approval is not in the trail");
    }
}

/// Makes a decision through a store. The store records an event of the intent before the decision takes effect; an event of the
/// outcome follows. Returns whether the decision won.
pub(super) async fn record_decision<F>(
    sink: &Arc<dyn AuditSink>,
    event: EventDraft,
    decide: impl FnOnce(RecordFuture) -> F,
) -> Result<bool, DecisionError>
where
    F: Future<Output = Result<bool, DecisionError>>,
{
    let (intent, outcome) = event.with_intent();
    let decided = decide(recording(sink, intent)).await;
    let outcome = match &decided {
        Ok(true) => outcome.happening_now(),
        Ok(false) | Err(DecisionError::Audit(_)) => return decided,
        Err(DecisionError::Store(error)) => outcome.happening_now().failed(error),
    };
    if let Err(error) = sink.record(outcome.finish()).await {
        tracing::error!(%error, "the outcome of a decision is not in the trail, which holds only its intent");
        return decided.and(Err(error.into()));
    }
    decided
}

/// Returns a future that records an event, for a store to run.
pub(super) fn recording(sink: &Arc<dyn AuditSink>, draft: EventDraft) -> RecordFuture {
    let sink = sink.clone();
    Box::pin(async move { sink.record(draft.finish()).await })
}

/// Returns the kernel as the actor of its own decisions.
pub(super) fn kernel() -> Principal {
    Principal::new("kernel", ActorType::Kernel, false)
}

/// Refuses an end in the past.
pub(super) fn still_to_come(end: Timestamp, now: Timestamp) -> Result<(), ErrorObject> {
    if end > now {
        return Ok(());
    }
    Err(ErrorObject::invalid_params(format!(
        "invalid expires_at: expected a time in the future, found {end}"
    )))
}
