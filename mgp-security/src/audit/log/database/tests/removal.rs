//! The removal of old days.

use super::support::{actors, copy, databases, event, log, problems, record, verify};
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
    for (engine, here, there) in databases().await {
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let [one, other] = folders.each_ref().map(|folder| log(folder.path()));
        for (days, actor) in [(9, "a"), (8, "b"), (7, "c")] {
            one.record(at(days_ago(days), actor)).await.unwrap();
        }
        record(&one, "d", 1).await;
        other.record(at(days_ago(9), "e")).await.unwrap();
        copy(&one, &here).await;
        copy(&other, &there).await;
        assert_eq!(actors(&here).await.len(), 5, "{engine}");
        assert_eq!(there.shorten(20 * DAY, Timestamp::now()).await.unwrap(), 0, "{engine}");
        assert_eq!(there.shorten(7 * DAY, Timestamp::now()).await.unwrap(), 2, "{engine}");
        assert_eq!(actors(&here).await, ["c", "d"], "{engine}");
        assert_eq!(problems(&here).await, [""; 0], "{engine}");
        let mut shortened: Vec<_> =
            verify(&here).await.iter().map(|trail| trail.verification.shortened.unwrap().seq).collect();
        shortened.sort_unstable();
        assert_eq!(shortened, [1, 2], "{engine}");
        // Both go on after the removal.
        record(&one, "f", 1).await;
        record(&other, "g", 1).await;
        copy(&one, &here).await;
        copy(&other, &there).await;
        assert_eq!(actors(&here).await, ["c", "d", "f", "g"], "{engine}");
        assert_eq!(problems(&here).await, [""; 0], "{engine}");
    }
}

#[tokio::test]
async fn the_days_of_a_trail_never_decrease() {
    for (engine, here, _) in databases().await {
        let folder = tempfile::tempdir().unwrap();
        let log = log(folder.path());
        // A clock that goes back, and one in the far future.
        for days in [3, 9, -4000, 0] {
            log.record(at(days_ago(days), "a")).await.unwrap();
        }
        copy(&log, &here).await;
        assert_eq!(here.shorten(5 * DAY, Timestamp::now()).await.unwrap(), 0, "{engine}");
        assert_eq!(here.shorten(2 * DAY, Timestamp::now()).await.unwrap(), 1, "{engine}");
        assert_eq!(actors(&here).await.len(), 2, "{engine}");
        assert_eq!(problems(&here).await, [""; 0], "{engine}");
    }
}
