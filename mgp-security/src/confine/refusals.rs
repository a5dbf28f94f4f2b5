//! The events of connections that were refused.

use crate::audit::{AuditSink, EventDraft};
use mgp_transport::seam::EgressObserver;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::{ActorType, Principal},
};
use parking_lot::Mutex;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The type of the event of a confined server's refused connection.
const EGRESS_REFUSED: &str = "dev.cloto.mgp.EGRESS_REFUSED";

/// The most events of a server in one period, so that it cannot flood the trail. Further refusals are counted in the next event.
const MAX_EVENTS: u32 = 60;
const PERIOD: Duration = Duration::from_secs(60);

/// An observer that stores an event in an audit trail, `dev.cloto.mgp.EGRESS_REFUSED`, for each refused connection of one server.
#[derive(Debug)]
pub struct EgressRefusals {
    sink: Arc<dyn AuditSink>,
    count: Mutex<Count>,
    last: LastRefusal,
}

/// The last refused connection of a server, with the reason, to explain a failed start of the server. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct LastRefusal(Arc<Mutex<Option<String>>>);

impl LastRefusal {
    /// The longest host or reason that is kept, in characters.
    const MAX_TEXT: usize = 200;

    /// Takes the host with its port and the reason.
    #[must_use]
    pub fn take(&self) -> Option<String> {
        self.0.lock().take()
    }

    fn note(&self, host: &str, reason: &str) {
        let short = |text: &str| text.chars().take(Self::MAX_TEXT).collect::<String>();
        *self.0.lock() = Some(format!("{}: {}", short(host), short(reason)));
    }
}

#[derive(Debug, Default)]
struct Count {
    since: Option<Instant>,
    events: u32,
    left_out: u64,
}

impl Count {
    /// Returns the number of refusals without an event, if an event is allowed now.
    fn admit(&mut self, now: Instant) -> Option<u64> {
        if self.since.is_none_or(|since| now.duration_since(since) >= PERIOD) {
            (self.since, self.events) = (Some(now), 0);
        }
        if self.events == MAX_EVENTS {
            self.left_out += 1;
            return None;
        }
        self.events += 1;
        Some(std::mem::take(&mut self.left_out))
    }
}

impl EgressRefusals {
    /// Creates an observer for one server.
    #[must_use]
    pub fn new(sink: Arc<dyn AuditSink>) -> Self {
        Self { sink, count: Mutex::default(), last: LastRefusal::default() }
    }

    /// Also notes each refusal in `last`, whether or not it has an event.
    #[must_use]
    pub fn noted_in(self, last: LastRefusal) -> Self {
        Self { last, ..self }
    }
}

#[async_trait::async_trait]
impl EgressObserver for EgressRefusals {
    async fn refused(&self, server_id: &str, host: &str, reason: &str) {
        self.last.note(host, reason);
        let Some(left_out) = self.count.lock().admit(Instant::now()) else { return };
        tracing::warn!(server = server_id, host, reason, left_out, "a connection of the server was refused");
        if !self.sink.keeps() {
            return;
        }
        let server = Principal::new(server_id, ActorType::Server, false);
        let mut event = EventDraft::new(AuditEventType::from(EGRESS_REFUSED), &server)
            .server(server_id)
            .result(AuditResult::Blocked)
            .detail("host", host)
            .detail("reason", reason);
        if left_out > 0 {
            event = event.detail("left_out", &left_out);
        }
        if let Err(error) = self.sink.record(event.finish()).await {
            tracing::error!(server = server_id, %error, "the event of a refused connection was lost");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::MemorySink;

    #[tokio::test]
    async fn an_event_counts_the_refusals_without_events() {
        let sink = MemorySink::new(10);
        let refusals = EgressRefusals::new(Arc::new(sink.clone()));
        for left_out in [0, 3] {
            refusals.count.lock().left_out = left_out;
            refusals.refused("s", "example.com", "it is not listed").await;
        }
        let said = sink.events().into_iter().map(|event| event.details.unwrap());
        let said: Vec<Option<u64>> = said.map(|details| details.decode("left_out").unwrap()).collect();
        assert_eq!(said, [None, Some(3)]);
    }

    #[tokio::test]
    async fn the_last_refusal_is_kept_and_reported_once() {
        let last = LastRefusal::default();
        let refusals = EgressRefusals::new(Arc::new(MemorySink::new(10))).noted_in(last.clone());
        for host in ["first.example:443", "second.example:443"] {
            refusals.refused("s", host, "it is not listed").await;
        }
        assert_eq!(last.take().as_deref(), Some("second.example:443: it is not listed"));
        assert_eq!(last.take(), None);
    }

    #[test]
    fn a_flood_of_refusals_has_few_events_and_none_is_forgotten() {
        let (mut count, start) = (Count::default(), Instant::now());
        let admitted = (0..1000).filter_map(|_| count.admit(start)).collect::<Vec<_>>();
        assert_eq!(admitted, vec![0; MAX_EVENTS as usize]);
        assert_eq!(count.admit(start + PERIOD), Some(1000 - u64::from(MAX_EVENTS)));
        assert_eq!(count.admit(start + PERIOD), Some(0));
    }
}
