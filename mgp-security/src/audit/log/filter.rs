//! A filter of events.

use jiff::Timestamp;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::TraceId,
};
use rusqlite::types::Value;

/// The place of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPlace {
    /// The trail that the number belongs to, which is `_mgp.trail` of the event; `None` for the trail of the state folder.
    pub trail: Option<String>,
    /// The number, which is `_mgp.seq` of the event.
    pub seq: u64,
}

/// A filter of events. A field that is `None` lets every event through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditFilter {
    /// The actor's id.
    pub actor_id: Option<String>,
    /// The server's id.
    pub server_id: Option<String>,
    /// The tool, by its server's own name for it.
    pub tool_name: Option<String>,
    /// The type of event.
    pub event_type: Option<AuditEventType>,
    /// The outcome.
    pub result: Option<AuditResult>,
    /// The trace that the events belong to.
    pub trace: Option<TraceId>,
    /// The earliest time.
    pub since: Option<Timestamp>,
    /// The time before which the events are.
    pub until: Option<Timestamp>,
    /// The event before which the events are.
    pub before: Option<EventPlace>,
    /// The most events that are returned: the latest ones, or the first ones after a position.
    pub last: u32,
}

impl Default for AuditFilter {
    fn default() -> Self {
        Self {
            actor_id: None,
            server_id: None,
            tool_name: None,
            event_type: None,
            result: None,
            trace: None,
            since: None,
            until: None,
            before: None,
            last: 100,
        }
    }
}

impl AuditFilter {
    /// Returns the conditions of the fields that are set, each with the value that follows it. The others are left out, because otherwise SQLite
    /// does not use an index.
    pub(super) fn conditions(&self) -> Vec<(&'static str, Value)> {
        let text = |value: &str| Value::Text(value.to_owned());
        let given = [
            self.actor_id.as_deref().map(|id| ("actor_id = ", text(id))),
            self.server_id.as_deref().map(|id| ("server_id = ", text(id))),
            self.tool_name.as_deref().map(|name| ("tool_name = ", text(name))),
            self.event_type.as_ref().map(|kind| ("event_type = ", text(kind.as_str()))),
            self.result.map(|result| ("result = ", text(result.as_str()))),
            self.trace.as_ref().map(|trace| ("trace_id = ", text(trace.as_str()))),
            self.since.map(|since| ("at >= ", Value::Integer(since.as_microsecond()))),
            self.until.map(|until| ("at < ", Value::Integer(until.as_microsecond()))),
        ];
        given.into_iter().flatten().collect()
    }
}
