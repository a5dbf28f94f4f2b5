//! Counts events of the file.

use super::{AuditCountQuery, AuditCounts, tally::Tally};
use crate::audit::log::{connections::Reader, ordered::ordered};
use jiff::Timestamp;
use rusqlite::params;

/// Counts the newest events of a span of time. The index by time gives their order, so that older events are not read.
pub(in crate::audit::log) fn count(
    mut reader: Reader<'_>,
    query: AuditCountQuery,
) -> rusqlite::Result<AuditCounts> {
    let most = i64::from(query.filter.last) + 1;
    let mut tally = Tally::new(query, Timestamp::now());
    let reading = reader.snapshot()?;
    let sql = ordered("at, event", "at >= ?1 AND at < ?2", "", "at DESC LIMIT ?3");
    let mut select = reading.prepare_cached(&sql)?;
    let mut rows = select.query(params![tally.window.since, tally.window.until, most])?;
    while let Some(row) = rows.next()? {
        // An event that is not text counts as one that cannot be read.
        if !tally.add(row.get(0)?, row.get_ref(1)?.as_str().unwrap_or_default()) {
            break;
        }
    }
    Ok(tally.finish())
}
