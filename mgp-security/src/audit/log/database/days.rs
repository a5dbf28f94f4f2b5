//! The partitions of days.

use super::{AuditDatabase, head::bytes, schema::EVENTS};
use crate::audit::log::chain::Hash;
use jiff::Timestamp;
use mgp_store::{
    StoreError,
    sql::{Connection, params},
};
use std::{collections::BTreeSet, time::Duration};

/// The days of consecutive events.
pub(super) type Days = Vec<i64>;

const MICROSECONDS: i64 = 24 * 60 * 60 * 1_000_000;

/// Returns the days of the events at these times after an event of the day `before`. They never decrease, so that the days before one are the
/// beginning of each trail, and are never later than `today`, so that a wrong clock makes no days in the far future.
pub(super) fn of(before: i64, times: impl Iterator<Item = i64>, today: i64) -> Days {
    let mut last = before;
    times
        .map(|at| {
            last = last.max(at.div_euclid(MICROSECONDS).min(today));
            last
        })
        .collect()
}

/// Returns the number of the day of a time since 1970.
pub(in super::super) fn day_of(time: Timestamp) -> i64 {
    time.as_microsecond().div_euclid(MICROSECONDS)
}

impl AuditDatabase {
    /// Adds days that events are inserted into, and the next one.
    pub(super) async fn add_days(&self, mut days: BTreeSet<i64>, today: i64) -> Result<(), StoreError> {
        days.extend([today, today + 1]);
        let missing: Vec<_> = days.difference(&self.days.lock()).copied().collect();
        if missing.is_empty() {
            return Ok(());
        }
        let added = missing.clone();
        self.database.write(move |connection| EVENTS.add(connection, missing)).await?;
        self.days.lock().extend(added);
        Ok(())
    }

    pub(super) fn forget_days(&self) {
        self.days.lock().clear();
    }

    /// Removes the days on which all events are older than `age`, and returns the number of removed days. The last removed event of each trail becomes
    /// its beginning, from which it can still be verified.
    pub(in super::super) async fn shorten(&self, age: Duration, now: Timestamp) -> Result<usize, StoreError> {
        let Ok(oldest) = now.checked_sub(age) else { return Ok(0) };
        let before = day_of(oldest);
        let is_due = move |connection: &Connection<'_>| Ok(!EVENTS.before(connection, before)?.is_empty());
        if !self.database.read(is_due).await? {
            return Ok(0);
        }
        self.forget_days();
        self.database.write(move |connection| remove_before(connection, before)).await
    }
}

/// Removes all days before a day. No trail is entered meanwhile.
fn remove_before(connection: &Connection<'_>, day: i64) -> Result<usize, StoreError> {
    // Nobody can move a head from here on, so nobody inserts an event that would be removed behind the new beginning of its trail.
    connection.execute("UPDATE audit_trails SET seq = seq", &[])?;
    let days = EVENTS.before(connection, day)?;
    let last = "SELECT trail, max(seq) AS seq, count(*) - count(hash) AS unchained FROM audit_events WHERE day < $1 GROUP BY trail";
    for row in connection.rows(last, &params![day])? {
        let read = || {
            Ok::<_, String>((
                row.needed("trail")?,
                row.needed_integer("seq")?,
                row.needed_integer("unchained")?,
            ))
        };
        let (trail, seq, unchained) = read().map_err(StoreError::new)?;
        let hash = "SELECT hash FROM audit_events WHERE trail = $1 AND seq = $2 AND day < $3";
        let hash = connection.row(hash, &params![trail, seq, day])?;
        let hash =
            hash.map(|row| Ok::<_, String>(row.bytes("hash")?.and_then(|hash| Hash::try_from(hash).ok())));
        let hash = hash.transpose().map_err(StoreError::new)?.flatten();
        let update = "UPDATE audit_trails SET shortened_seq = $1, shortened_hash = $2, unchained = unchained - $3 WHERE trail = $4";
        connection.execute(update, &params![seq, bytes(&hash), unchained, trail])?;
    }
    for day in &days {
        EVENTS.remove(connection, *day)?;
    }
    Ok(days.len())
}
