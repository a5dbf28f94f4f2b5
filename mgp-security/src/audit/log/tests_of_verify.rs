//! Tests of the chain of hashes.

use super::{checkpoints::Checkpoints, connections::Connections, file::TrailFile, row::Row, *};
use crate::audit::EventDraft;
use mgp_store::sqlite::{Synchronous, lock_timeout};
use mgp_types::{audit::AuditEventType, context::Principal};
use rusqlite::Connection;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use tempfile::TempDir;

/// A trail of 30 events, of which 20 are in the table with indexes.
struct Trail {
    path: PathBuf,
    _folder: TempDir,
}

impl Trail {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.sqlite3");
        store(&path, 30);
        let file = Connection::open(&path).unwrap();
        for statement in schema::MOVE {
            file.execute(statement, [21]).unwrap();
        }
        let trail = Self { path, _folder: folder };
        trail.anchor();
        trail
    }

    /// Notes the newest event as the anchor, as the thread of the checkpoints does.
    fn anchor(&self) {
        connections(&self.path).anchor(lock_timeout()).unwrap();
    }

    /// Changes the file without the trail's knowledge.
    fn tamper(&self, sql: &str) {
        Connection::open(&self.path).unwrap().execute_batch(sql).unwrap();
    }

    async fn verify(&self) -> AuditVerification {
        self.verify_with(None).await
    }

    async fn verify_with(&self, head: Option<AuditHead>) -> AuditVerification {
        AuditLog::open(&self.path, &AuditLogConfig::default()).unwrap().verify(head).await.unwrap()
    }

    async fn problems(&self) -> Vec<String> {
        self.verify().await.problems.iter().map(ToString::to_string).collect()
    }
}

fn connections(path: &Path) -> Connections {
    Connections::open(TrailFile::new(path, Synchronous::Normal)).unwrap()
}

/// Stores events on this thread, so that no thread of a trail still works when the file is changed.
fn store(path: &Path, events: usize) {
    let event = EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent("a")).server("s").finish();
    let rows: Vec<_> = (0..events).map(|_| Row::new(&event).unwrap()).collect();
    let connections = connections(path);
    connections.writing.lock().insert(Duration::ZERO, None, rows.iter()).unwrap();
}

#[tokio::test]
async fn an_untouched_trail_is_intact_and_its_head_is_found_again() {
    let trail = Trail::new();
    let first = trail.verify().await;
    assert!(first.is_intact(), "{first:?}");
    assert_eq!((first.events, first.unchained, first.head.unwrap().seq), (30, 0, 30));
    // Another process continues where this one ended.
    store(&trail.path, 5);
    let later = trail.verify_with(first.head).await;
    assert!(later.is_intact(), "{later:?}");
    assert_eq!(later.events, 35);
}

#[tokio::test]
async fn events_stored_by_two_processes_are_one_chain() {
    let trail = Trail::new();
    let (one, other) = (connections(&trail.path), connections(&trail.path));
    let event = EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent("a")).finish();
    let row = Row::new(&event).unwrap();
    let alone = |process: &Connections| process.writing.lock().insert_alone(&row).unwrap();
    for process in [&one, &one, &other, &other, &one, &other, &one] {
        alone(process);
    }
    // The other's events leave the table that numbers are taken from, except for the newest.
    (0..3).for_each(|_| alone(&other));
    trail.tamper(
        &schema::MOVE.map(|statement| statement.replace('?', "(SELECT max(seq) FROM events)")).join(";"),
    );
    alone(&one);
    let verified = trail.verify().await;
    assert!(verified.is_intact(), "{verified:?}");
    assert_eq!((verified.events, verified.head.unwrap().seq), (41, 41));
}

#[tokio::test]
async fn a_changed_byte_is_found_in_each_table_and_column() {
    for (table, seq) in [("older_events", 7), ("events", 25)] {
        for change in [
            "event = replace(event, 'SUCCESS', 'FAILURE')",
            "at = at + 1",
            "event_type = 'TOOL_BLOCKED'",
            "actor_id = 'b'",
            "server_id = NULL",
            "trace_id = 'x'",
            "hash = zeroblob(32)",
            "hash = NULL",
        ] {
            let trail = Trail::new();
            trail.tamper(&format!("UPDATE {table} SET {change} WHERE seq = {seq}"));
            let problems = trail.problems().await;
            let expected = format!("event {seq} was changed, or is not in its place");
            assert!(problems.contains(&expected), "{change}: {problems:?}");
            assert!(problems.len() <= 2, "{change}: {problems:?}");
            assert!(!trail.verify().await.is_intact());
        }
    }
}

#[tokio::test]
async fn the_first_event_has_a_hash_unless_the_trail_once_had_none() {
    let trail = Trail::new();
    trail.tamper("UPDATE older_events SET hash = NULL WHERE seq = 1");
    let problems = trail.problems().await;
    assert!(problems.contains(&"event 1 was changed, or is not in its place".to_owned()), "{problems:?}");
}

#[test]
fn only_a_head_as_it_is_written_is_read() {
    let mut hash = [0x5a; 32];
    (hash[0], hash[31]) = (0x01, 0xf0);
    let head = AuditHead::new(17, hash);
    let text = head.to_string();
    assert_eq!(text, format!("17:01{}f0", "5a".repeat(30)));
    assert_eq!(text.parse(), Ok(head));
    let digits = "0".repeat(64);
    for wrong in [
        digits.clone(),
        format!("17:{}", &digits[1..]),
        format!("17:{digits}0"),
        format!("17:+{}", &digits[1..]),
        format!("x:{digits}"),
        format!("17:{}g", &digits[1..]),
        format!("17:{}é", &digits[2..]),
    ] {
        assert!(wrong.parse::<AuditHead>().unwrap_err().contains("64 hexadecimal digits"), "{wrong}");
    }
}

#[tokio::test]
async fn a_deleted_event_is_found_anywhere() {
    for (sql, expected) in [
        (
            "DELETE FROM older_events WHERE seq = 7",
            "event 8 does not follow event 6: events between them are missing",
        ),
        (
            "DELETE FROM events WHERE seq = 25",
            "event 26 does not follow event 24: events between them are missing",
        ),
        ("DELETE FROM older_events WHERE seq <= 3", "events before event 4 are missing"),
        ("DELETE FROM older_events", "events before event 21 are missing"),
    ] {
        let trail = Trail::new();
        trail.tamper(sql);
        assert_eq!(trail.problems().await, [expected], "{sql}");
    }
}

#[tokio::test]
async fn a_reordered_pair_is_found() {
    let trail = Trail::new();
    trail.tamper(
        "UPDATE events SET seq = 1000 WHERE seq = 25; UPDATE events SET seq = 25 WHERE seq = 26;
         UPDATE events SET seq = 26 WHERE seq = 1000",
    );
    let problems = trail.problems().await;
    assert_eq!(problems[0], "event 25 was changed, or is not in its place");
}

#[tokio::test]
async fn a_truncated_end_is_found_even_after_more_events() {
    let trail = Trail::new();
    trail.tamper("DELETE FROM events WHERE seq > 28");
    let cut =
        "the end of the trail is missing or was written anew: event 30 was stored, and the last one is 28";
    assert_eq!(trail.problems().await, [cut]);
    store(&trail.path, 10);
    trail.anchor();
    assert_eq!(trail.problems().await, [cut.replace("is 28", "is 38")]);
}

#[tokio::test]
async fn a_rewritten_trail_has_another_head() {
    let trail = Trail::new();
    let head = trail.verify().await.head;
    trail.tamper("DELETE FROM events; DELETE FROM older_events; UPDATE trail SET anchor_seq = NULL");
    store(&trail.path, 30);
    assert!(trail.verify().await.is_intact());
    assert_eq!(trail.verify_with(head).await.problems, [AuditProblem::CutOff { last: 30, stored: 30 }]);
}

#[tokio::test]
async fn unhashed_events_are_counted_and_the_chain_begins_after_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.sqlite3");
    let mut old = Connection::open(&path).unwrap();
    schema::before_the_split().to_latest(&mut old).unwrap();
    old.execute_batch(
        "INSERT INTO events (at, event_type, actor_id, event) VALUES (1, 'a', 'b', '{}'), (2, 'a', 'b', '{}')",
    )
    .unwrap();
    drop(old);
    store(&path, 3);
    let trail = Trail { path, _folder: folder };
    let result = trail.verify().await;
    assert!(result.is_intact(), "{result:?}");
    assert_eq!((result.events, result.unchained), (3, 2));
    trail.tamper("DELETE FROM older_events WHERE seq = 1");
    assert_eq!(trail.problems().await, ["1 of the events from before the trail had hashes are missing"]);
}

#[tokio::test]
async fn the_newest_event_becomes_the_anchor_at_checkpoints() {
    let trail = Trail::new();
    let anchor = || -> Option<i64> {
        let select = "SELECT anchor_seq FROM trail";
        Connection::open(&trail.path).unwrap().query_row(select, [], |row| row.get(0)).unwrap()
    };
    trail.tamper("UPDATE trail SET anchor_seq = NULL");
    let connections = connections(&trail.path);
    let (checkpoints, checkpointer) = Checkpoints::new();
    checkpointer.anchor(&connections, lock_timeout());
    assert_eq!(anchor(), None, "nothing was stored");
    checkpoints.count(1);
    drop(checkpoints);
    checkpointer.run(&connections, &AuditRetention::default());
    assert_eq!(anchor(), Some(30));
}

#[tokio::test]
async fn many_problems_are_counted_and_the_first_are_listed() {
    let trail = Trail::new();
    trail.tamper("UPDATE older_events SET actor_id = 'x'; UPDATE events SET actor_id = 'x'");
    let result = trail.verify().await;
    assert_eq!((result.problems.len(), result.problem_count), (AuditVerification::MOST_PROBLEMS, 30));
}
