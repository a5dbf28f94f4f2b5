//! An event as it is stored.

use super::chain;
use jiff::Timestamp;
use mgp_types::audit::AuditEvent;
use rusqlite::{
    Statement, params_from_iter,
    types::{ToSqlOutput, Value, ValueRef},
};
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

/// The statement that inserts one row as a single transaction, with the same values. Fails unless the preceding row is still the newest:
/// the time of the row would be null. The newest event is always in this table.
pub(super) const INSERT_NEXT: &str = "
INSERT INTO events (at, event_type, actor_id, server_id, trace_id, event, seq, hash) VALUES (
    CASE WHEN (SELECT max(seq) FROM events) = ?7 - 1 THEN ?1 END, ?2, ?3, ?4, ?5, ?6, ?7, ?8
)";

/// The statement that inserts one row within a transaction, with the values in this order, its number and its hash.
pub(super) const INSERT: &str = "
INSERT INTO events (at, event_type, actor_id, server_id, trace_id, event, seq, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

/// The newest event of a trail, which the next event follows.
#[derive(Debug)]
pub(super) struct Newest {
    pub(super) seq: i64,
    /// Null if there is no event, or if the event is older than the hashes.
    pub(super) hash: Value,
}

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

    /// Inserts the row after the newest one, with [`INSERT`] or [`INSERT_NEXT`] as the statement. Returns the row as the newest event.
    pub(super) fn insert(&self, statement: &mut Statement<'_>, newest: &Newest) -> rusqlite::Result<Newest> {
        let (values, seq) = (self.values(), newest.seq + 1);
        let hash = chain::hash([(&newest.hash).into(), ValueRef::Integer(seq)].into_iter().chain(values));
        let rest = [ValueRef::Integer(seq), ValueRef::Blob(&hash)];
        statement.execute(params_from_iter(values.into_iter().chain(rest).map(ToSqlOutput::Borrowed)))?;
        Ok(Newest { seq, hash: Value::Blob(hash.to_vec()) })
    }

    /// Returns the values of the row, in the order in which its hash covers them.
    fn values(&self) -> [ValueRef<'_>; 6] {
        let part = |range: &Range<usize>| ValueRef::Text(&self.text.as_bytes()[range.clone()]);
        let or_null = |range: &Option<Range<usize>>| range.as_ref().map_or(ValueRef::Null, part);
        [
            ValueRef::Integer(self.at),
            part(&self.event_type),
            part(&self.actor),
            or_null(&self.server),
            or_null(&self.trace),
            part(&self.event),
        ]
    }
}

/// Returns a time in microseconds since 1970, or the present time if the timestamp cannot be read.
fn microseconds(timestamp: &str) -> i64 {
    timestamp.parse().unwrap_or_else(|_| Timestamp::now()).as_microsecond()
}
