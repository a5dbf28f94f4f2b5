//! Retention: removes the oldest events once they are too old or take too much space, and leaves a checkpoint, so that the remaining
//! events can still be verified.

use super::{
    connections::{Connections, WriteConnection},
    file::FileId,
    notes,
    uncopied::copied_through,
};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use std::{error::Error, iter, sync::atomic::Ordering, thread, time::Duration};

/// The events that a trail keeps. By default all.
///
/// Events are removed oldest first, and never the newest one. Before a removal, an event records its last number and its reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditRetention {
    /// The age from which events are removed, up to the first younger one.
    pub age: Option<Duration>,
    /// The size of all events, in bytes, from which the oldest tenth is removed. The file does not become smaller, but new events reuse the
    /// space.
    pub bytes: Option<u64>,
}

/// The oldest events, which will be removed.
#[derive(Clone, Copy)]
struct Prefix {
    /// The number of the last of them.
    through: i64,
    reason: &'static str,
}

/// The number of events that one transaction removes.
const REMOVED_AT_ONCE: i64 = 512;
/// The pause between two transactions that remove events, so that others can write.
const PAUSE: Duration = Duration::from_millis(5);
/// The time for which the event of a removal waits for other processes. Calls wait for it.
const BUSY: Duration = Duration::from_millis(200);

impl Connections {
    /// Removes the events past their retention, and returns the number of the last one, or `None` if all are kept. Blocks on the disk.
    pub(super) fn shorten(
        &self,
        retention: &AuditRetention,
        now: Timestamp,
    ) -> Result<Option<i64>, Box<dyn Error>> {
        let oldest = retention.age.and_then(|age| now.checked_sub(age).ok()).map(Timestamp::as_microsecond);
        if oldest.is_some_and(|oldest| self.is_older_than(oldest).unwrap_or(false)) {
            while self.move_older(1)? {
                thread::sleep(PAUSE);
            }
        }
        let (prefix, id) = {
            let mut writing = self.writing.lock();
            self.renew(&mut writing)?;
            let Some(prefix) = self.prefix(oldest, retention.bytes)? else { return Ok(None) };
            self.announce(&mut writing, &prefix)?;
            (prefix, writing.id())
        };
        // The previous anchor may be one of the removed events.
        self.anchor(BUSY)?;
        while self.remove_some(prefix.through, id)? {
            thread::sleep(PAUSE);
        }
        Ok(Some(prefix.through))
    }

    /// Stores the event of a removal.
    fn announce(&self, writing: &mut WriteConnection, prefix: &Prefix) -> Result<(), Box<dyn Error>> {
        let event = notes::shortened(prefix.through, prefix.reason)?;
        writing.insert(BUSY, Some(&event), iter::empty())?;
        if !self.is_current(writing) {
            return Err("its file is being replaced".into());
        }
        writing.stored(1);
        Ok(())
    }

    /// Returns whether the oldest event without an index is older than a time.
    fn is_older_than(&self, oldest: i64) -> rusqlite::Result<bool> {
        let first = "SELECT at FROM events ORDER BY seq LIMIT 1";
        let at = self.checkpointing.lock().as_ref().map(|file| file.query_row(first, [], |row| row.get(0)));
        let at: Option<i64> = at.transpose().optional()?.flatten();
        Ok(at.is_some_and(|at| at < oldest))
    }

    /// Returns the events past their retention, unless there are none.
    fn prefix(&self, oldest: Option<i64>, bytes: Option<u64>) -> rusqlite::Result<Option<Prefix>> {
        let checkpointing = self.checkpointing.lock();
        let Some(file) = &*checkpointing else { return Ok(None) };
        let by_age = oldest.map(|oldest| too_old(file, oldest)).transpose()?.flatten();
        let by_size = bytes.map(|bytes| too_many(file, bytes)).transpose()?.flatten();
        let by_age = by_age.map(|through| Prefix { through, reason: "age" });
        let by_size = by_size.map(|through| Prefix { through, reason: "size" });
        let longest = by_age.into_iter().chain(by_size).max_by_key(|prefix| prefix.through);
        let Some(mut prefix) = longest.filter(|_| self.keeps_uncopied.load(Ordering::Acquire)) else {
            return Ok(longest);
        };
        // Events that are not in the database yet stay.
        let copied = "SELECT max(seq) FROM older_events WHERE seq <= ?";
        let copied: Option<i64> = file.query_row(copied, [copied_through(file)?], |row| row.get(0))?;
        let Some(copied) = copied else { return Ok(None) };
        prefix.through = prefix.through.min(copied);
        Ok(Some(prefix))
    }

    /// Removes some of the oldest events up to a number, makes the last of them the trail's checkpoint, and returns whether there are
    /// more. If the file has another identity, the number means other events, so none are removed.
    fn remove_some(&self, through: i64, id: FileId) -> rusqlite::Result<bool> {
        let mut checkpointing = self.checkpointing.lock();
        let Some(file) = &mut *checkpointing else { return Ok(false) };
        if self.id() != Some(id) {
            return Ok(false);
        }
        let transaction = file.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let last = "SELECT max(seq) FROM (SELECT seq FROM older_events WHERE seq <= ? ORDER BY seq LIMIT ?)";
        let last: Option<i64> = transaction.query_row(last, [through, REMOVED_AT_ONCE], |row| row.get(0))?;
        let Some(last) = last else { return Ok(false) };
        transaction.execute(
            "UPDATE trail SET shortened_seq = ?1,
                shortened_hash = (SELECT hash FROM older_events WHERE seq = ?1),
                unchained = unchained - (SELECT count(*) FROM older_events WHERE seq <= ?1 AND hash IS NULL)",
            [last],
        )?;
        transaction.execute("DELETE FROM older_events WHERE seq <= ?", [last])?;
        transaction.commit()?;
        Ok(last < through)
    }
}

/// Returns the number of the last event before the first one that is young enough. Times need not grow with the numbers: an old event
/// after a young one is kept.
fn too_old(file: &Connection, oldest: i64) -> rusqlite::Result<Option<i64>> {
    // By number, not by the index of times: this reads only as many events as are removed.
    let young = "SELECT seq FROM older_events WHERE +at >= ? ORDER BY seq LIMIT 1";
    let young: Option<i64> = file.query_row(young, [oldest], |row| row.get(0)).optional()?;
    let (last, before): (&str, i64) = match young {
        Some(young) => ("SELECT max(seq) FROM older_events WHERE seq < ?", young),
        None => ("SELECT max(seq) FROM older_events WHERE seq <= ?", i64::MAX),
    };
    file.query_row(last, [before], |row| row.get(0))
}

/// Returns the number up to which events must be removed, so that the others take at most nine tenths of a size. Events without an
/// index stay.
fn too_many(file: &Connection, bytes: u64) -> rusqlite::Result<Option<i64>> {
    let pragma = |name| file.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let used = (pragma("page_count")? - pragma("freelist_count")?) * pragma("page_size")?;
    let used = u64::try_from(used).unwrap_or_default();
    if used <= bytes {
        return Ok(None);
    }
    let ends = "SELECT (SELECT min(seq) FROM older_events), (SELECT max(seq) FROM older_events),
        (SELECT max(seq) FROM events)";
    let ends = file.query_row(ends, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let (Some(first), Some(last_older), Some(last)): (Option<i64>, Option<i64>, Option<i64>) = ends else {
        return Ok(None);
    };
    // Events are of similar size, so a share of the size is the same share of the numbers.
    let kept = i128::from(bytes / 10 * 9) * i128::from(last - first + 1) / i128::from(used);
    let through = i64::try_from(i128::from(last) - kept).unwrap_or(i64::MAX).min(last_older);
    Ok((through >= first).then_some(through))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_events_that_fits_is_kept() {
        let file = Connection::open_in_memory().unwrap();
        file.execute_batch(
            "CREATE TABLE older_events (seq INTEGER PRIMARY KEY, event TEXT);
             CREATE TABLE events (seq INTEGER PRIMARY KEY);
             INSERT INTO events VALUES (9001);
             WITH RECURSIVE numbers (seq) AS (SELECT 8001 UNION ALL SELECT seq + 1 FROM numbers WHERE seq < 9000)
             INSERT INTO older_events SELECT seq, printf('%.4000c', 'x') FROM numbers",
        )
        .unwrap();
        let pragma = |name| file.pragma_query_value(None, name, |row| row.get::<_, u32>(0)).unwrap();
        let used = u64::from(pragma("page_count") * pragma("page_size"));
        assert_eq!(too_many(&file, used).unwrap(), None);
        let through = too_many(&file, used / 2).unwrap().unwrap();
        assert!((8545..8555).contains(&through), "nine tenths of a half are kept: {through}");
    }
}
