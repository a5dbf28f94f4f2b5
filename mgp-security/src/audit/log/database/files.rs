//! Writes whole trails to files.

use super::{AuditDatabase, StoredEvent, event::COLUMNS, head::TrailRow, verify::verify_trail};
use crate::audit::log::{AuditVerification, file::TrailFile, row, schema::ANCHOR};
use mgp_store::{
    StoreError,
    sql::{Connection, params},
    sqlite::Synchronous,
};
use rusqlite::types::{ToSqlOutput, Value};
use std::path::Path;

/// The number of events that are read at once.
const PAGE: i64 = 1000;

impl AuditDatabase {
    /// Returns the ids of all trails that have events.
    ///
    /// # Errors
    /// [`StoreError`] of the engine.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn trails(&self) -> Result<Vec<String>, StoreError> {
        let read = |connection: &Connection<'_>| {
            let rows = TrailRow::all(connection)?.into_iter();
            Ok(rows.filter(|row| row.head.seq > row.start.seq).map(|row| row.trail).collect())
        };
        self.database.read(read).await
    }

    /// Writes a trail to a new file.
    pub(in crate::audit::log) async fn write_events(
        &self,
        trail: &str,
        path: &Path,
    ) -> Result<(), StoreError> {
        let (id, file) = (trail.to_owned(), path.to_owned());
        self.database.read_snapshot(move |connection| write_file(connection, &id, &file)).await
    }

    /// Checks one trail.
    pub(in crate::audit::log) async fn verify_one(
        &self,
        trail: &str,
    ) -> Result<AuditVerification, StoreError> {
        let id = trail.to_owned();
        let verify = move |connection: &Connection<'_>| {
            Ok(verify_trail(connection, &row_of(connection, &id)?)?.verification)
        };
        self.database.read_snapshot(verify).await
    }
}

fn row_of(connection: &Connection<'_>, trail: &str) -> Result<TrailRow, StoreError> {
    let row = TrailRow::all(connection)?.into_iter().find(|row| row.trail == trail);
    row.ok_or_else(|| StoreError::new(format!("the database has no trail {trail:?}")))
}

fn write_file(connection: &Connection<'_>, trail: &str, path: &Path) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| StoreError::new(format!("{}: {error}", path.display()));
    let row = row_of(connection, trail)?;
    let mut file = TrailFile::new(path, Synchronous::Normal).connect().map_err(StoreError::new)?;
    let transaction = file.writing.transaction().map_err(failed)?;
    if transaction
        .query_row("SELECT count(*) FROM all_events", [], |row| row.get::<_, i64>(0))
        .map_err(failed)?
        > 0
    {
        return Err(StoreError::new(format!("{} has events: expected a new file", path.display())));
    }
    let select = format!(
        "SELECT {COLUMNS} FROM audit_events WHERE trail = $1 AND (seq, day) > ($2, $3) ORDER BY seq, day LIMIT $4"
    );
    let (mut seq, mut day) = (i64::MIN, i64::MIN);
    loop {
        let rows = connection.rows(&select, &params![trail, seq, day, PAGE])?;
        for found in &rows {
            seq = found.needed_integer("seq").map_err(StoreError::new)?;
            day = found.needed_integer("day").map_err(StoreError::new)?;
            let event = StoredEvent::read(found)
                .map_err(|problem| StoreError::new(format!("event {seq} of trail {trail}: {problem}")))?;
            insert(&transaction, &event, seq == row.head.seq).map_err(failed)?;
        }
        if rows.len() < usize::try_from(PAGE).unwrap_or(usize::MAX) {
            break;
        }
    }
    let start = row.start;
    let shortened = (start.seq > 0).then_some(start.seq);
    let begin = "UPDATE trail SET id = ?, unchained = ?, shortened_seq = ?, shortened_hash = ?";
    let values = rusqlite::params![trail, start.unchained, shortened, start.hash];
    transaction.execute(begin, values).map_err(failed)?;
    transaction.execute(ANCHOR, []).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// Inserts an event into the table with indexes, unless it is the newest one.
fn insert(file: &rusqlite::Connection, event: &StoredEvent, is_newest: bool) -> rusqlite::Result<()> {
    let statement = row::INSERT.replacen("events", if is_newest { "events" } else { "older_events" }, 1);
    let [seq, values @ ..] = event.hashed();
    let hash = event
        .hash
        .map_or(ToSqlOutput::Owned(Value::Null), |hash| ToSqlOutput::Owned(Value::Blob(hash.to_vec())));
    let values = values.into_iter().chain([seq]).map(ToSqlOutput::Borrowed).chain([hash]);
    file.prepare_cached(&statement)?.execute(rusqlite::params_from_iter(values)).map(drop)
}
