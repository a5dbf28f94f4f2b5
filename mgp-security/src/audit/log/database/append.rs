//! Inserts events after the head of their trail.

use super::{
    AuditDatabase, StoredEvent, TrailHead,
    days::{self, Days},
    event::{COLUMNS, WIDTH},
};
use mgp_store::{
    StoreError,
    sql::{Connection, Value},
};
use std::collections::BTreeSet;

/// The largest number of events in one statement.
const ROWS: usize = 256;

impl AuditDatabase {
    /// Inserts events that follow `head`, and moves the head of their trail, in one transaction. Returns the new head, or `None` if the head is
    /// another one, because somebody else inserted events. `today` is the number of this day since 1970.
    pub(in super::super) async fn append(
        &self,
        trail: &str,
        head: TrailHead,
        events: Vec<StoredEvent>,
        today: i64,
    ) -> Result<Option<TrailHead>, StoreError> {
        let Some(last) = events.last() else { return Ok(Some(head)) };
        let days: Days = days::of(head.day, events.iter().map(|event| event.at), today);
        let next =
            TrailHead { seq: last.seq, hash: last.hash, day: days.last().copied().unwrap_or(head.day) };
        self.add_days(days.iter().copied().collect::<BTreeSet<_>>(), today).await?;
        let (trail, lock) = (trail.to_owned(), trail.to_owned());
        let append = move |connection: &Connection<'_>| {
            // First, so that the removal of days can keep others from inserting.
            if !head.advance(connection, &trail, &next)? {
                return Ok(None);
            }
            let mut events = events.iter().zip(days).peekable();
            while events.peek().is_some() {
                insert(connection, &trail, &events.by_ref().take(ROWS).collect::<Vec<_>>())?;
            }
            Ok(Some(next))
        };
        let appended = self.database.write_for(vec![lock], append).await;
        if appended.is_err() {
            // Somebody may have removed one of the days.
            self.forget_days();
        }
        appended
    }
}

/// Inserts events by statements whose numbers of rows are powers of two, so that few statements have to be prepared.
fn insert(
    connection: &Connection<'_>,
    trail: &str,
    events: &[(&StoredEvent, i64)],
) -> Result<(), StoreError> {
    let mut rest = events;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(1 << rest.len().ilog2());
        let values: Vec<Value<'_>> = now.iter().flat_map(|(event, day)| event.values(trail, *day)).collect();
        connection.execute(&statement(now.len()), &values)?;
        rest = later;
    }
    Ok(())
}

fn statement(rows: usize) -> String {
    let row = |row: usize| {
        let values: Vec<_> = (1..=WIDTH).map(|column| format!("${}", row * WIDTH + column)).collect();
        format!("({})", values.join(", "))
    };
    let rows: Vec<_> = (0..rows).map(row).collect();
    format!("INSERT INTO audit_events ({COLUMNS}) VALUES {}", rows.join(", "))
}
