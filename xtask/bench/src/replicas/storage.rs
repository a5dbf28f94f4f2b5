//! The bytes that an event takes, measured over a whole run.

use super::{
    caller::RotatingCaller,
    files,
    fleet::{Fleet, Gateway},
};
use crate::{measure::one_by_one, wire::Era};
use mgp_security::audit::JournalMode;
use std::time::Duration;
use tokio::time::sleep;

/// The number of calls that show the length of an event in a journal. They fit into one file of the journal.
const RECORDS: usize = 200;
/// The pause before a trail is measured, in which its last events reach their table.
const SETTLING: Duration = Duration::from_secs(3);

/// The storage of a fleet at one time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FleetSize {
    pub(super) events: i64,
    /// The tables and indexes of the database, in bytes.
    pub(super) database: i64,
    /// The trails of all replicas in their state folders, in bytes.
    pub(super) trails: i64,
}

impl FleetSize {
    /// Returns what was added since an earlier time.
    pub(super) fn since(self, earlier: Self) -> Self {
        Self {
            events: self.events - earlier.events,
            database: self.database - earlier.database,
            trails: self.trails - earlier.trails,
        }
    }
}

/// The storage of a fleet's events.
#[derive(Debug)]
pub(super) struct FleetStorage {
    pub(super) journal: JournalMode,
    pub(super) size: FleetSize,
    /// The number of calls of these events.
    pub(super) calls: i64,
    /// The mean length of an event as JSON, in bytes.
    pub(super) event_length: f64,
    /// The length of an event in a journal, in bytes; 0 without journals.
    pub(super) record_length: f64,
}

impl FleetStorage {
    /// Begins to measure.
    pub(super) async fn begin(fleet: &Fleet) -> Result<Self, String> {
        let record_length = match fleet.replicas.first() {
            Some(replica) => record_length(replica).await?,
            None => 0.0,
        };
        fleet.database.has(signed(RECORDS)?).await?;
        let (journal, size) = (fleet.journal, fleet.size().await?);
        Ok(Self { journal, size, calls: 0, event_length: 0.0, record_length })
    }

    /// Measures the storage since the beginning. All events are in the database.
    pub(super) async fn end(self, fleet: &Fleet) -> Result<Self, String> {
        sleep(SETTLING).await;
        let size = fleet.size().await?.since(self.size);
        Ok(Self { size, event_length: fleet.database.event_length().await?, ..self })
    }
}

/// The storage of the events of the gateway with SQLite.
#[derive(Debug)]
pub(super) struct SqliteStorage {
    /// The size of the trail, in bytes.
    pub(super) trail: i64,
    /// The number of calls, each of which has one event.
    pub(super) calls: i64,
    /// The length of an event in a journal, in bytes.
    pub(super) record_length: f64,
}

impl SqliteStorage {
    /// Begins to measure.
    pub(super) async fn begin(gateway: &Gateway) -> Result<Self, String> {
        let record_length = record_length(gateway).await?;
        sleep(SETTLING).await;
        Ok(Self { trail: files::trail(&gateway.state())?, calls: 0, record_length })
    }

    /// Measures the storage since the beginning.
    pub(super) async fn end(self, gateway: &Gateway) -> Result<Self, String> {
        sleep(SETTLING).await;
        Ok(Self { trail: files::trail(&gateway.state())? - self.trail, ..self })
    }
}

/// Measures the length of an event in the journal of a gateway, in bytes.
async fn record_length(gateway: &Gateway) -> Result<f64, String> {
    let callers = RotatingCaller::connect_many(1, &[gateway.address()], Era::Stateless).await?;
    let before = files::journals(&gateway.state())?;
    for caller in callers {
        one_by_one(caller, RECORDS).await?;
    }
    Ok(per_event(files::journals(&gateway.state())? - before, signed(RECORDS)?))
}

/// Divides bytes by events; 0 without events.
#[expect(clippy::cast_precision_loss, reason = "sizes of files are far below 2^52")]
pub(super) fn per_event(bytes: i64, events: i64) -> f64 {
    if events == 0 { 0.0 } else { bytes as f64 / events as f64 }
}

fn signed(count: usize) -> Result<i64, String> {
    i64::try_from(count).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_before_the_first_event_is_not_counted() {
        let before = FleetSize { events: 10, database: 100_000, trails: 40_000 };
        let after = FleetSize { events: 110, database: 190_000, trails: 110_000 };
        let added = after.since(before);
        assert_eq!((per_event(added.database, added.events), per_event(added.trails, 100)), (900.0, 700.0));
        assert_eq!(per_event(90, 0), 0.0);
    }
}
