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

/// The length of a text that a row does not have, in its encoded form.
const ABSENT: u32 = u32::MAX;

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

    /// Appends the row to bytes: its time, the lengths of its five texts, and the texts. [`decode`](Self::decode) reads it. Returns `None`
    /// if the row is longer than a length can say, and leaves the bytes as they are.
    pub(super) fn encode(&self, out: &mut Vec<u8>) -> Option<()> {
        let length =
            |range: &Range<usize>| u32::try_from(range.len()).ok().filter(|length| *length != ABSENT);
        let or_absent = |range: &Option<Range<usize>>| range.as_ref().map_or(Some(ABSENT), length);
        let lengths = [
            length(&self.event)?,
            length(&self.event_type)?,
            length(&self.actor)?,
            or_absent(&self.server)?,
            or_absent(&self.trace)?,
        ];
        out.extend_from_slice(&self.at.to_le_bytes());
        lengths.iter().for_each(|length| out.extend_from_slice(&length.to_le_bytes()));
        // The texts stand in this order, without gaps.
        out.extend_from_slice(self.text.as_bytes());
        Some(())
    }

    /// Reads a row that [`encode`](Self::encode) wrote. Returns `None` unless the bytes are exactly one row.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (at, mut rest) = bytes.split_first_chunk()?;
        let mut end = 0_usize;
        let mut lengths = [const { None }; 5];
        for range in &mut lengths {
            let (length, behind) = rest.split_first_chunk()?;
            rest = behind;
            let length = u32::from_le_bytes(*length);
            if length != ABSENT {
                let start = end;
                end = start.checked_add(usize::try_from(length).ok()?)?;
                *range = Some(start..end);
            }
        }
        let text = str::from_utf8(rest).ok().filter(|text| text.len() == end)?.to_owned();
        let [event, event_type, actor, server, trace] = lengths;
        let (event, event_type, actor) = (event?, event_type?, actor?);
        let cuts_no_character =
            [Some(&event), Some(&event_type), Some(&actor), server.as_ref(), trace.as_ref()]
                .into_iter()
                .flatten()
                .all(|range| text.is_char_boundary(range.end));
        cuts_no_character.then_some(Self {
            at: i64::from_le_bytes(*at),
            text,
            event,
            event_type,
            actor,
            server,
            trace,
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
