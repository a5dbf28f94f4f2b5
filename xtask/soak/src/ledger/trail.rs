//! The audit trail of a run. It counts events instead of keeping them, so that a long run needs little memory.

use super::Trace;
use mgp_security::audit::{AuditSink, StoreFuture};
use mgp_types::{
    audit::{AuditEvent, AuditEventType},
    context::ActorType,
    json::Nullable,
};
use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// The type of the event of a retry.
const TOOL_RETRIED: &str = "dev.cloto.mgp.TOOL_RETRIED";
/// The beginning of the reason for the stop of an unused server.
const IDLE: &str = "idle:";

/// The events of one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CallEvents {
    pub(crate) executed: u8,
    pub(crate) refused: u8,
}

/// The counts of the trail.
#[derive(Debug, Clone, Default)]
pub(crate) struct TrailCounts {
    pub(crate) calls: BTreeMap<Trace, CallEvents>,
    /// The events of calls whose trace no host of the run made: their number, and the first of them.
    pub(crate) strange: u64,
    pub(crate) strange_first: Option<String>,
    pub(crate) retries: u64,
    /// The stops of unused servers.
    pub(crate) sleeps: u64,
    /// The later starts of these servers.
    pub(crate) wakes: u64,
    asleep: BTreeSet<String>,
}

/// The audit trail of a run. Clones share the trail.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trail(Arc<Mutex<TrailCounts>>);

impl Trail {
    /// Returns the counts so far.
    pub(crate) fn counts(&self) -> TrailCounts {
        self.0.lock().clone()
    }
}

impl AuditSink for Trail {
    fn record(&self, event: AuditEvent) -> StoreFuture {
        self.0.lock().take(&event);
        StoreFuture::ready(Ok(()))
    }
}

impl TrailCounts {
    pub(crate) fn take(&mut self, event: &AuditEvent) {
        match &event.event_type {
            AuditEventType::ToolExecuted => self.call(event, |call| &mut call.executed),
            AuditEventType::ToolBlocked | AuditEventType::ValidationFailed | AuditEventType::CodeRejected => {
                self.call(event, |call| &mut call.refused);
            }
            AuditEventType::ServerConnected => {
                let woke = server(event).is_some_and(|id| self.asleep.remove(id));
                self.wakes += u64::from(woke);
            }
            AuditEventType::ServerDisconnected => {
                let why = event.details.as_ref().and_then(|details| details.decode::<String>("reason").ok());
                if why.flatten().is_some_and(|why| why.starts_with(IDLE))
                    && let Some(id) = server(event)
                {
                    self.sleeps += 1;
                    self.asleep.insert(id.to_owned());
                }
            }
            AuditEventType::Custom(name) if name == TOOL_RETRIED => self.retries += 1,
            _ => {}
        }
    }

    fn call(&mut self, event: &AuditEvent, count: impl FnOnce(&mut CallEvents) -> &mut u8) {
        let Nullable::Value(trace) = &event.trace_id else { return };
        match Trace::parse(trace) {
            Some(trace) => {
                let count = count(self.calls.entry(trace).or_default());
                *count = count.saturating_add(1);
            }
            // The operator's refused commands are not calls of a tool.
            None if event.actor.kind == ActorType::Operator => {}
            None => {
                self.strange += 1;
                self.strange_first.get_or_insert_with(|| format!("{event:?}"));
            }
        }
    }
}

fn server(event: &AuditEvent) -> Option<&str> {
    event.target.get()?.server_id.get().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_security::audit::EventDraft;
    use mgp_types::context::Principal;

    fn event(kind: AuditEventType, why: &str) -> AuditEvent {
        EventDraft::new(kind, &Principal::agent("a")).server("s").detail("reason", &why).finish()
    }

    #[test]
    fn only_a_server_that_slept_wakes() {
        let mut counts = TrailCounts::default();
        let (up, down) = (AuditEventType::ServerConnected, AuditEventType::ServerDisconnected);
        counts.take(&event(up.clone(), ""));
        counts.take(&event(down.clone(), "killed"));
        counts.take(&event(up.clone(), ""));
        assert_eq!((counts.sleeps, counts.wakes), (0, 0));
        counts.take(&event(down, "idle: nothing used it for 1s"));
        counts.take(&event(up.clone(), ""));
        counts.take(&event(up, ""));
        assert_eq!((counts.sleeps, counts.wakes), (1, 1));
    }
}
