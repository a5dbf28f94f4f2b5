//! §6.5 The trace that an event belongs to by default.

use mgp_types::context::TraceId;
use uuid::Uuid;

tokio::task_local! {
    static CURRENT: TraceId;
}

/// Runs a future in a trace: the events that it drafts belong to that trace, unless they name another one. Tasks that the future spawns
/// are not in the trace. Without a trace, the future runs as it is.
pub async fn in_trace<F: Future>(trace: Option<TraceId>, future: F) -> F::Output {
    match trace {
        Some(trace) => CURRENT.scope(trace, future).await,
        None => future.await,
    }
}

/// Returns the trace in which this code [runs](in_trace), if there is one.
#[must_use]
pub fn current_trace() -> Option<TraceId> {
    CURRENT.try_with(Clone::clone).ok()
}

/// Returns a new trace id. Ids grow with time, so that simultaneous events are stored close together.
#[must_use]
pub fn new_trace() -> TraceId {
    let mut text = Uuid::encode_buffer();
    // A UUID is always a valid trace id.
    TraceId::new(Uuid::now_v7().hyphenated().encode_lower(&mut text))
        .unwrap_or_else(|| unreachable!("a UUID is printable ASCII"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{EventDraft, MemorySink, record_change};
    use mgp_types::{
        audit::{AuditEvent, AuditEventType},
        context::Principal,
    };

    fn draft() -> EventDraft {
        EventDraft::new(AuditEventType::AccessGranted, &Principal::operator("ann"))
    }

    fn trace(event: &AuditEvent) -> &str {
        event.trace_id.get().map(String::as_str).unwrap()
    }

    #[tokio::test]
    async fn an_event_has_the_current_trace_or_a_new_one() {
        assert_ne!(trace(&draft().finish()), trace(&draft().finish()));
        let id = |text| TraceId::new(text);
        let drafted = in_trace(id("t-1"), async { draft() }).await;
        assert_eq!(trace(&drafted.finish()), "t-1");
        let named = in_trace(id("t-1"), async { draft().trace(&id("t-2").unwrap()).finish() }).await;
        assert_eq!(trace(&named), "t-2");
        assert_eq!(in_trace(None, async { current_trace() }).await, None);
    }

    #[tokio::test]
    async fn the_events_of_an_intent_and_its_outcome_share_a_trace() {
        let sink = MemorySink::new(2);
        record_change::<_, &str>(&sink, draft(), async { Ok(()) }).await.unwrap();
        let events = sink.events();
        assert_eq!(trace(&events[0]), trace(&events[1]));
    }
}
