//! The removal of old days.

use super::support::{Rig, actors, copy, event, record, rigs, verify};
use crate::audit::AuditSink;
use jiff::{SignedDuration, Timestamp};
use mgp_types::audit::AuditEvent;
use std::time::Duration;

const DAY: Duration = Duration::from_hours(24);

/// Returns the time some days ago.
fn days_ago(days: i64) -> Timestamp {
    Timestamp::now() - SignedDuration::from_hours(24 * days)
}

fn at(time: Timestamp, actor: &str) -> AuditEvent {
    AuditEvent { timestamp: time.to_string(), ..event(actor) }
}

#[tokio::test]
async fn removed_days_leave_trails_that_can_be_verified() {
    for rig in rigs().await {
        let Rig { engine, here, there, log, other, .. } = &rig;
        for (days, actor) in [(9, "a"), (8, "b"), (7, "c")] {
            log.record(at(days_ago(days), actor)).await.unwrap();
        }
        record(log, "d", 1).await;
        other.record(at(days_ago(9), "e")).await.unwrap();
        copy(log, here).await;
        copy(other, there).await;
        assert_eq!(actors(here).await.len(), 5, "{engine}");
        assert_eq!(there.shorten(20 * DAY, Timestamp::now()).await.unwrap(), 0, "{engine}");
        assert_eq!(there.shorten(7 * DAY, Timestamp::now()).await.unwrap(), 2, "{engine}");
        assert_eq!(actors(here).await, ["c", "d"], "{engine}");
        rig.assert_intact().await;
        let mut shortened: Vec<_> =
            verify(here).await.iter().map(|trail| trail.verification.shortened.unwrap().seq).collect();
        shortened.sort_unstable();
        assert_eq!(shortened, [1, 2], "{engine}");
        // Both go on after the removal.
        record(log, "f", 1).await;
        record(other, "g", 1).await;
        copy(log, here).await;
        copy(other, there).await;
        assert_eq!(actors(here).await, ["c", "d", "f", "g"], "{engine}");
        rig.assert_intact().await;
    }
}

#[tokio::test]
async fn the_days_of_a_trail_never_decrease() {
    for rig in rigs().await {
        let Rig { engine, here, log, .. } = &rig;
        // A clock that goes back, and one in the far future.
        for days in [3, 9, -4000, 0] {
            log.record(at(days_ago(days), "a")).await.unwrap();
        }
        copy(log, here).await;
        assert_eq!(here.shorten(5 * DAY, Timestamp::now()).await.unwrap(), 0, "{engine}");
        assert_eq!(here.shorten(2 * DAY, Timestamp::now()).await.unwrap(), 1, "{engine}");
        assert_eq!(actors(here).await.len(), 2, "{engine}");
        rig.assert_intact().await;
    }
}
