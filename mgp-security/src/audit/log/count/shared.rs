//! Counts events of all trails in a database.

use super::{AuditCountQuery, AuditCounts, tally::Tally};
use crate::audit::AuditDatabase;
use jiff::Timestamp;
use mgp_store::{
    StoreError,
    sql::{Connection, Value, params},
};

/// The number of events that are read at once.
const PART: i64 = 5000;

impl AuditDatabase {
    /// Counts the newest events of a span of time.
    pub(in crate::audit::log) async fn count(
        &self,
        query: AuditCountQuery,
    ) -> Result<AuditCounts, StoreError> {
        self.reading().read_snapshot(move |connection| count(connection, query)).await
    }
}

fn count(connection: &Connection<'_>, query: AuditCountQuery) -> Result<AuditCounts, StoreError> {
    let mut tally = Tally::new(query, Timestamp::now());
    let (since, until) = (tally.window.since, tally.window.until);
    let first = "SELECT trail, seq, at, event FROM audit_events WHERE at >= $1 AND at < $2 \
                 ORDER BY at DESC, trail DESC, seq DESC LIMIT $3";
    let next = "SELECT trail, seq, at, event FROM audit_events WHERE at >= $1 AND (at, trail, seq) < ($2, $4, $5) \
                ORDER BY at DESC, trail DESC, seq DESC LIMIT $3";
    let mut rows = connection.rows(first, &params![since, until, PART])?;
    loop {
        let mut last = None;
        for row in &rows {
            let at = row.needed_integer("at").map_err(StoreError::new)?;
            if !tally.add(at, row.needed("event").map_err(StoreError::new)?) {
                return Ok(tally.finish());
            }
            last = Some((at, row));
        }
        let Some((at, row)) = last.filter(|_| rows.len() as i64 >= PART) else { return Ok(tally.finish()) };
        let trail = Value::from(row.needed("trail").map_err(StoreError::new)?.to_owned());
        let seq = Value::from(row.needed_integer("seq").map_err(StoreError::new)?);
        rows = connection.rows(next, &[since.into(), at.into(), PART.into(), trail, seq])?;
    }
}
