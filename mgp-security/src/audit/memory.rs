//! A sink in memory.

use super::{AuditSink, StoreFuture};
use mgp_types::audit::AuditEvent;
use parking_lot::Mutex;
use std::{collections::VecDeque, sync::Arc};

/// A sink that keeps the latest events in memory: for tests, and for programs that show them. Clones share the events.
#[derive(Debug, Clone)]
pub struct MemorySink {
    events: Arc<Mutex<VecDeque<AuditEvent>>>,
    capacity: usize,
}

impl MemorySink {
    /// Creates a sink that keeps at most `capacity` events, and drops the oldest first.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { events: Arc::default(), capacity }
    }

    /// Returns the events, oldest first.
    #[must_use]
    pub fn events(&self) -> Vec<AuditEvent> {
        self.events.lock().iter().cloned().collect()
    }
}

impl AuditSink for MemorySink {
    fn record(&self, event: AuditEvent) -> StoreFuture {
        let mut events = self.events.lock();
        while events.len() >= self.capacity.max(1) {
            events.pop_front();
        }
        events.push_back(event);
        StoreFuture::ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::EventDraft;
    use super::*;
    use mgp_types::{audit::AuditEventType, context::Principal};

    #[tokio::test]
    async fn the_oldest_events_go_first() {
        let sink = MemorySink::new(2);
        for id in ["a", "b", "c"] {
            let event = EventDraft::new(AuditEventType::AccessGranted, &Principal::operator(id)).finish();
            sink.record(event).await.unwrap();
        }
        let ids: Vec<_> = sink.events().into_iter().map(|event| event.actor.id).collect();
        assert_eq!(ids, ["b", "c"]);
    }
}
