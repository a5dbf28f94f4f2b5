//! Reads the events of the local trail that are not copied.
//!
//! The row `store:ID` of the table of receivers has the id under which the database knows the trail, and the number of the last event that is
//! known to be there. Without that row, the id is the mark of the file.

use super::{
    chain::Hash,
    connections::{Connections, Reader},
    database::{EventTexts, StoredEvent, TrailHead, TrailStart},
};
use rusqlite::{Connection, OptionalExtension, Row, params};

/// The beginning of the name of the row. No id of a server has a colon.
const STORE: &str = "store:";
/// The condition of the row.
const IS_STORE: &str = "substr(name, 1, 6) = 'store:'";
/// The most events that are copied at once.
const MOST: u32 = 1024;
/// The size of events, in bytes, after which no other is copied with them.
const MOST_BYTES: usize = 1 << 20;

/// A part of the local trail, read at one moment.
#[derive(Debug)]
pub(super) struct LocalPart {
    /// The mark of the file.
    pub(super) mark: String,
    /// The id of the trail in the database.
    pub(super) id: String,
    pub(super) start: TrailStart,
    /// The number of the newest event.
    pub(super) newest: i64,
    /// The hash of the event before the part; `None` if that event is not in the trail.
    before: Option<Option<Hash>>,
    pub(super) events: Vec<StoredEvent>,
}

impl LocalPart {
    /// Reads the first events after a number.
    pub(super) fn read(mut reader: Reader<'_>, after: i64) -> rusqlite::Result<Self> {
        let reading = reader.snapshot()?;
        let (mark, start) = beginning(&reading)?;
        let id = format!("SELECT substr(name, 7) FROM receivers WHERE {IS_STORE} LIMIT 1");
        let id: Option<String> = reading.prepare_cached(&id)?.query_row([], |row| row.get(0)).optional()?;
        let newest = "SELECT ifnull(max(seq), 0) FROM events";
        let before =
            "SELECT hash FROM events WHERE seq = ?1 UNION ALL SELECT hash FROM older_events WHERE seq = ?1";
        Ok(Self {
            id: id.unwrap_or_else(|| mark.clone()),
            mark,
            start,
            newest: reading.prepare_cached(newest)?.query_row([], |row| row.get(0))?,
            before: reading.prepare_cached(before)?.query_row([after], |row| row.get(0)).optional()?,
            events: events(&reading, after)?,
        })
    }

    /// Returns whether the events follow the head of the trail in the database. If they do not, the database has another trail with this id, or
    /// has events that this one has lost.
    pub(super) fn follows(&self, head: &TrailHead) -> bool {
        if head.seq == self.start.seq { head.hash == self.start.hash } else { self.before == Some(head.hash) }
    }
}

/// Reads the mark of a trail, and its beginning.
pub(super) fn beginning(reading: &Connection) -> rusqlite::Result<(String, TrailStart)> {
    let trail = "SELECT id, unchained, ifnull(shortened_seq, 0), shortened_hash FROM trail";
    reading.prepare_cached(trail)?.query_row([], |row| {
        Ok((row.get(0)?, TrailStart { unchained: row.get(1)?, seq: row.get(2)?, hash: row.get(3)? }))
    })
}

fn events(reading: &Connection, after: i64) -> rusqlite::Result<Vec<StoredEvent>> {
    let (mut events, mut bytes) = (Vec::new(), 0);
    for table in ["older_events", "events"] {
        let select = format!(
            "SELECT seq, at, event_type, actor_id, server_id, trace_id, event, hash FROM {table} WHERE seq > ? ORDER BY seq LIMIT ?"
        );
        let mut select = reading.prepare_cached(&select)?;
        let mut rows = select.query(params![after, MOST])?;
        while events.len() < MOST as usize && bytes < MOST_BYTES {
            let Some(row) = rows.next()? else { break };
            let event = event(row)?;
            bytes += event.size();
            events.push(event);
        }
    }
    Ok(events)
}

fn event(row: &Row<'_>) -> rusqlite::Result<StoredEvent> {
    let texts = EventTexts {
        event_type: row.get(2)?,
        actor_id: row.get(3)?,
        server_id: row.get(4)?,
        trace_id: row.get(5)?,
        event: row.get(6)?,
    };
    Ok(StoredEvent { seq: row.get(0)?, at: row.get(1)?, texts, hash: row.get(7)? })
}

impl Connections {
    /// Notes the number of the last event that is in the database, unless the file or its id in the database is another one by now.
    pub(super) fn copied(&self, mark: &str, id: &str, seq: i64) -> rusqlite::Result<()> {
        let checkpointing = self.checkpointing.lock();
        let Some(file) = &*checkpointing else { return Err(rusqlite::Error::InvalidQuery) };
        let note = format!(
            "INSERT INTO receivers (name, seq) SELECT ?1, ?2 FROM trail WHERE id = ?3
                AND NOT EXISTS (SELECT 1 FROM receivers WHERE {IS_STORE} AND name <> ?1)
            ON CONFLICT (name) DO UPDATE SET seq = ?2"
        );
        file.prepare_cached(&note)?.execute(params![format!("{STORE}{id}"), seq, mark]).map(drop)
    }

    /// Gives the trail another id in the database, unless it is another one by now.
    pub(super) fn rename_copy(&self, mark: &str, from: &str) -> rusqlite::Result<()> {
        let mut checkpointing = self.checkpointing.lock();
        let Some(file) = &mut *checkpointing else { return Err(rusqlite::Error::InvalidQuery) };
        let transaction = file.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let current = format!(
            "SELECT ifnull((SELECT substr(name, 7) FROM receivers WHERE {IS_STORE} LIMIT 1), id) FROM trail WHERE id = ?"
        );
        let current: Option<String> = transaction.query_row(&current, [mark], |row| row.get(0)).optional()?;
        if current.as_deref() == Some(from) {
            transaction.execute(&format!("DELETE FROM receivers WHERE {IS_STORE}"), [])?;
            let rename = "INSERT INTO receivers (name, seq) VALUES (?1 || lower(hex(randomblob(16))), 0)";
            transaction.execute(rename, [STORE])?;
        }
        transaction.commit()
    }
}

/// Returns the number of the last event that is known to be in the database; 0 if none is.
pub(super) fn copied_through(file: &Connection) -> rusqlite::Result<i64> {
    let select = format!("SELECT ifnull(max(seq), 0) FROM receivers WHERE {IS_STORE}");
    file.query_row(&select, [], |row| row.get(0))
}
