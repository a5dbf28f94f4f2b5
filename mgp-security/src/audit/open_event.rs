//! An event that is recorded at its end, or when it is dropped.

use super::{AuditSink, EventDraft, StoreFuture};
use mgp_types::audit::{AuditEvent, AuditResult};
use std::sync::Arc;

/// An event of something that has begun. If it is dropped before its end, for example with the future of a cancelled request, its event
/// is still recorded. So there is exactly one event, however it ended.
#[derive(Debug)]
pub struct OpenEvent<T: Droppable = EventDraft> {
    sink: Arc<dyn AuditSink>,
    open: Option<T>,
}

/// A source of the event that is recorded if an [`OpenEvent`] is dropped before its end.
pub trait Droppable {
    /// Returns the event of an end that is not awaited.
    fn dropped(self) -> AuditEvent;
}

/// The event is a FAILURE, with the detail `cancelled`.
impl Droppable for EventDraft {
    fn dropped(self) -> AuditEvent {
        self.result(AuditResult::Failure).detail("cancelled", &true).finish()
    }
}

impl<T: Droppable> OpenEvent<T> {
    /// Begins an event.
    pub fn begin(sink: &Arc<dyn AuditSink>, open: T) -> Self {
        Self { sink: sink.clone(), open: Some(open) }
    }

    /// Ends the event, and records the event that `end` returns.
    pub fn close(mut self, end: impl FnOnce(T) -> AuditEvent) -> StoreFuture {
        self.record(end)
    }

    fn record(&mut self, end: impl FnOnce(T) -> AuditEvent) -> StoreFuture {
        match self.open.take() {
            Some(open) => self.sink.record(end(open)),
            None => StoreFuture::ready(Ok(())),
        }
    }
}

impl<T: Droppable> Drop for OpenEvent<T> {
    fn drop(&mut self) {
        // The future is not awaited; the sink stores the event all the same.
        drop(self.record(T::dropped));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::MemorySink;
    use mgp_types::{audit::AuditEventType, context::Principal};

    fn open(sink: &MemorySink) -> OpenEvent {
        let sink: Arc<dyn AuditSink> = Arc::new(sink.clone());
        OpenEvent::begin(&sink, EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent("a")))
    }

    #[test]
    fn an_event_is_recorded_once_even_if_its_future_is_dropped() {
        let sink = MemorySink::new(10);
        drop(open(&sink).close(EventDraft::finish));
        let event = open(&sink);
        drop(async move {
            std::future::pending::<()>().await;
            drop(event);
        });
        let results: Vec<_> = sink.events().into_iter().map(|event| event.result).collect();
        assert_eq!(results, [AuditResult::Success, AuditResult::Failure]);
        assert!(sink.events()[1].details.as_ref().is_some_and(|details| details.get("cancelled").is_some()));
    }
}
