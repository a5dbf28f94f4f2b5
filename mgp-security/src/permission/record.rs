//! Decisions, together with the events that record them.

use super::{DecisionError, RecordFuture};
use crate::audit::{AuditSink, EventDraft};
use std::sync::Arc;

/// Makes a decision through a store, with an event of the intent before the decision takes effect, which the store runs, and one of the
/// outcome after. Returns whether the decision won.
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
        tracing::error!(%error, "the outcome of a decision is not in the trail, which has its intent");
        return decided.and(Err(error.into()));
    }
    decided
}

/// Returns a future that records an event, for a store to run.
pub(super) fn recording(sink: &Arc<dyn AuditSink>, draft: EventDraft) -> RecordFuture {
    let sink = sink.clone();
    Box::pin(async move { sink.record(draft.finish()).await })
}
