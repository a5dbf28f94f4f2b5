//! An event as it is stored.

use jiff::Timestamp;
use mgp_types::audit::AuditEvent;
use rusqlite::{Statement, params};
use std::ops::Range;

/// An event as it is stored: its columns, and the whole event as JSON.
///
/// All texts share one allocation. A row is most often created by one thread and freed by the writer's, so that every further allocation
/// would make the two threads contend for the allocator's locks.
#[derive(Debug)]
pub(super) struct Row {
    at: i64,
    text: String,
    event: Range<usize>,
    event_type: Range<usize>,
    actor: Range<usize>,
    server: Option<Range<usize>>,
    trace: Option<Range<usize>>,
}

/// The statement that inserts a row, with the values in this order. If the number of the event is null, it is the next one. The newest event
/// is always in this table.
pub(super) const INSERT: &str = "
INSERT INTO events (seq, at, event_type, actor_id, server_id, trace_id, event, hash) VALUES (
    coalesce(?1, (SELECT max(seq) FROM events) + 1, 1), ?2, ?3, ?4, ?5, ?6, ?7,
    chain((SELECT hash FROM events ORDER BY seq DESC LIMIT 1),
        coalesce(?1, (SELECT max(seq) FROM events) + 1, 1), ?2, ?3, ?4, ?5, ?6, ?7)
)";

impl Row {
    pub(super) fn new(event: &AuditEvent) -> Result<Self, serde_json::Error> {
        let mut json = Vec::with_capacity(768);
        serde_json::to_writer(&mut json, event)?;
        let mut text = String::from_utf8(json).map_err(serde::ser::Error::custom)?;
        let whole = 0..text.len();
        let mut add = |part: &str| {
            let start = text.len();
            text.push_str(part);
            start..text.len()
        };
        let server = event.target.get().and_then(|target| target.server_id.get());
        Ok(Self {
            at: microseconds(&event.timestamp),
            event: whole,
            event_type: add(event.event_type.as_str()),
            actor: add(&event.actor.id),
            server: server.map(|server| add(server)),
            trace: event.trace_id.get().map(|trace| add(trace)),
            text,
        })
    }

    /// Returns the size of the texts, in bytes.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Inserts the row, with [`INSERT`] as the statement.
    pub(super) fn insert(&self, statement: &mut Statement<'_>, seq: Option<i64>) -> rusqlite::Result<()> {
        let part = |range: &Range<usize>| &self.text[range.clone()];
        statement.execute(params![
            seq,
            self.at,
            part(&self.event_type),
            part(&self.actor),
            self.server.as_ref().map(part),
            self.trace.as_ref().map(part),
            part(&self.event),
        ])?;
        Ok(())
    }
}

/// Returns a time in microseconds since 1970, or the present time if the timestamp cannot be read.
fn microseconds(timestamp: &str) -> i64 {
    timestamp.parse().unwrap_or_else(|_| Timestamp::now()).as_microsecond()
}
