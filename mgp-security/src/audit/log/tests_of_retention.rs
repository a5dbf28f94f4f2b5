//! Tests of the removal of events past their retention.

use super::{connections::Connections, file::TrailFile, row::Row, *};
use crate::audit::EventDraft;
use jiff::{Timestamp, ToSpan};
use mgp_store::sqlite::Synchronous;
use mgp_types::{
    audit::{AuditEvent, AuditEventType},
    context::{ActorType, Principal},
};
use rusqlite::Connection;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use tempfile::TempDir;
use xtask_testing::until;

/// A trail of which each event is a day older than the next one; the newest is from now.
struct Trail {
    path: PathBuf,
    now: Timestamp,
    _folder: TempDir,
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl Trail {
    fn of_days(days: i64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let trail =
            Self { path: folder.path().join("audit.sqlite3"), now: Timestamp::now(), _folder: folder };
        let rows: Vec<_> = (0..days).rev().map(|age| trail.row(age)).collect();
        trail.open().writing.lock().insert(Duration::ZERO, None, rows.iter()).unwrap();
        trail
    }

    fn row(&self, age_in_days: i64) -> Row {
        let draft = EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent("a"));
        let timestamp = self.now.checked_sub((age_in_days * 24).hours()).unwrap().to_string();
        Row::new(&AuditEvent { timestamp, ..draft.finish() }).unwrap()
    }

    fn open(&self) -> Connections {
        Connections::open(TrailFile::new(&self.path, Synchronous::Normal)).unwrap()
    }

    /// Keeps events of fewer days than these.
    fn shorten(&self, days: f64) -> Option<i64> {
        let retention = AuditRetention { age: Some(DAY.mul_f64(days)), bytes: None };
        self.open().shorten(&retention, self.now).unwrap()
    }

    fn file(&self) -> Connection {
        Connection::open(&self.path).unwrap()
    }

    /// Returns the numbers of the first and the last event, and the number of all.
    fn ends(&self) -> (i64, i64, i64) {
        let ends = "SELECT min(seq), max(seq), count(*) FROM all_events";
        self.file().query_row(ends, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap()
    }

    async fn verify(&self, head: Option<AuditHead>) -> AuditVerification {
        verify(&self.path, head).await
    }

    async fn problems(&self) -> Vec<String> {
        self.verify(None).await.problems.iter().map(ToString::to_string).collect()
    }
}

async fn verify(path: &Path, head: Option<AuditHead>) -> AuditVerification {
    AuditLog::open(path, &AuditLogConfig::default()).unwrap().verify(head).await.unwrap()
}

#[tokio::test]
async fn old_events_go_and_the_rest_verifies_from_the_checkpoint() {
    let trail = Trail::of_days(30);
    let head = trail.verify(None).await.head.unwrap();
    // A process that was killed left an anchor that is about to be removed.
    let anchor = "UPDATE trail SET (anchor_seq, anchor_hash) = (SELECT seq, hash FROM events WHERE seq = 5)";
    trail.file().execute(anchor, []).unwrap();
    assert_eq!(trail.shorten(9.5), Some(20));
    // The event of the removal comes after the others.
    assert_eq!(trail.ends(), (21, 31, 11));
    let result = trail.verify(Some(head)).await;
    assert!(result.is_intact(), "{result:?}");
    assert_eq!((result.events, result.shortened.unwrap().seq), (11, 20));
    // The next number is not that of a removed event.
    assert_eq!(trail.shorten(9.5), None);
    assert_eq!(trail.shorten(4.5), Some(25));
    assert_eq!(trail.ends(), (26, 32, 7));
    assert!(trail.verify(Some(head)).await.is_intact());
}

#[tokio::test]
async fn the_newest_event_stays_however_old_it_is() {
    let trail = Trail::of_days(30);
    let retention = AuditRetention { age: Some(DAY), bytes: None };
    let later = trail.now.checked_add((24 * 365).hours()).unwrap();
    assert_eq!(trail.open().shorten(&retention, later).unwrap(), Some(29));
    // The event of the removal, whose time is the present, and the one that was the newest.
    assert_eq!(trail.ends(), (30, 31, 2));
    assert!(trail.verify(None).await.is_intact());
}

#[tokio::test]
async fn the_oldest_events_go_if_all_take_too_much_space() {
    let trail = Trail::of_days(3000);
    let connections = trail.open();
    while connections.move_older(1).unwrap() {}
    let size = || -> i64 {
        let used = "SELECT (page_count - freelist_count) * page_size
            FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
        trail.file().query_row(used, [], |row| row.get(0)).unwrap()
    };
    let limit = size() / 2;
    let retention = AuditRetention { age: None, bytes: Some(limit.try_into().unwrap()) };
    let through = connections.shorten(&retention, trail.now).unwrap().unwrap();
    assert!((1400..1900).contains(&through), "{through}");
    assert!(size() <= limit, "{} of {limit}", size());
    assert_eq!(connections.shorten(&retention, trail.now).unwrap(), None, "there is room for a while");
    assert!(trail.verify(None).await.is_intact());
}

#[tokio::test]
async fn a_clock_set_back_removes_no_recent_event() {
    let trail = Trail::of_days(30);
    // Events with an old time, after young ones.
    let rows = [trail.row(300), trail.row(200), trail.row(0)];
    trail.open().writing.lock().insert(Duration::ZERO, None, rows.iter()).unwrap();
    assert_eq!(trail.shorten(9.5), Some(20));
    assert_eq!(trail.ends(), (21, 34, 14));
    assert_eq!(trail.shorten(9.5), None);
}

#[tokio::test]
async fn space_of_unindexed_events_is_not_taken_from_all_others() {
    let trail = Trail::of_days(3000);
    // 256 events have an index, and the others do not.
    let connections = trail.open();
    connections.move_older(1).unwrap();
    let retention = AuditRetention { age: None, bytes: Some(390_000) };
    let through = connections.shorten(&retention, trail.now).unwrap().unwrap();
    assert!(through <= 256, "{through}");
    assert_eq!(trail.ends().1, 3001);
    assert!(trail.verify(None).await.is_intact());
}

#[tokio::test]
async fn an_unrecorded_removal_is_found() {
    let trail = Trail::of_days(30);
    trail.shorten(9.5);
    let file = trail.file();
    file.execute_batch(
        "UPDATE trail SET shortened_seq = 23, shortened_hash = (SELECT hash FROM older_events WHERE seq = 23);
         DELETE FROM older_events WHERE seq <= 23",
    )
    .unwrap();
    assert_eq!(
        trail.problems().await,
        ["the events up to 23 were removed, and no event of the trail says why"]
    );
    // What a server reports does not count.
    let said = EventDraft::new(
        AuditEventType::from(notes::SHORTENED),
        &Principal::new("s", ActorType::Server, false),
    );
    let rows = [Row::new(&said.detail("through_seq", &1000).finish()).unwrap()];
    trail.open().writing.lock().insert(Duration::ZERO, None, rows.iter()).unwrap();
    assert_eq!(trail.problems().await.len(), 1);
}

#[tokio::test]
async fn events_missing_after_the_checkpoint_are_found() {
    let trail = Trail::of_days(30);
    trail.shorten(9.5);
    trail.file().execute_batch("DELETE FROM older_events WHERE seq = 21").unwrap();
    assert_eq!(
        trail.problems().await,
        ["event 22 does not follow event 20: events between them are missing"]
    );
}

#[tokio::test]
async fn only_a_head_that_was_not_removed_can_be_checked() {
    let trail = Trail::of_days(20);
    let early = trail.verify(None).await.head.unwrap();
    let rows = [trail.row(0)];
    trail.open().writing.lock().insert(Duration::ZERO, None, rows.iter()).unwrap();
    let last = trail.verify(None).await.head.unwrap();
    let rows: Vec<_> = (0..5).map(|_| trail.row(0)).collect();
    trail.open().writing.lock().insert(Duration::ZERO, None, rows.iter()).unwrap();
    let connections = trail.open();
    while connections.move_older(1).unwrap() {}
    trail
        .file()
        .execute_batch("UPDATE older_events SET at = 0 WHERE seq <= 21; UPDATE trail SET anchor_seq = NULL")
        .unwrap();
    assert_eq!(trail.shorten(100.0), Some(21));
    assert_eq!((early.seq, last.seq), (20, 21));
    assert!(trail.verify(Some(last)).await.is_intact());
    let lost = trail.verify(Some(early)).await;
    assert_eq!(lost.problems, [AuditProblem::HeadRemoved { seq: 20, through: 21 }]);
    let other = AuditHead::new(21, [7; 32]);
    assert_eq!(trail.verify(Some(other)).await.problems, [AuditProblem::CutOff { last: 27, stored: 21 }]);
}

#[tokio::test]
async fn an_open_trail_removes_old_events_by_itself() {
    let trail = Trail::of_days(30);
    let retention = AuditRetention { age: Some(DAY.mul_f64(9.5)), bytes: None };
    let log = AuditLog::open(&trail.path, &AuditLogConfig { retention, ..AuditLogConfig::default() });
    let log = log.unwrap();
    until(|| trail.ends().0 > 1).await;
    assert!(log.verify(None).await.unwrap().is_intact());
}

#[tokio::test]
async fn events_of_an_earlier_version_are_removed_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.sqlite3");
    let mut old = Connection::open(&path).unwrap();
    schema::before_the_split().to_latest(&mut old).unwrap();
    old.execute_batch(
        "INSERT INTO events (at, event_type, actor_id, event)
         VALUES (1, 'a', 'b', '{}'), (2, 'a', 'b', '{}'), (3, 'a', 'b', '{}')",
    )
    .unwrap();
    drop(old);
    let trail = Trail { path, now: Timestamp::now(), _folder: folder };
    assert_eq!(trail.shorten(1.0), Some(2));
    let rows = [trail.row(0)];
    trail.open().writing.lock().insert(Duration::ZERO, None, rows.iter()).unwrap();
    let result = trail.verify(None).await;
    assert!(result.is_intact(), "{result:?}");
    assert_eq!((result.unchained, result.events, result.shortened), (1, 2, None));
}
