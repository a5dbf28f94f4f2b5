//! Tests of outages of the trail, and of files that replace it, if events are stored in the file itself.

use super::*;
use crate::audit::{AuditSink, EventDraft};
use mgp_store::sqlite::set_lock_timeout;
use mgp_types::{audit::AuditEventType, context::Principal};
use rusqlite::Connection;
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};
use tempfile::TempDir;
use xtask_testing::until;

fn open() -> (TempDir, PathBuf, AuditLog) {
    // On a busy machine, another connection may keep the file for longer than usual.
    set_lock_timeout(Duration::from_secs(120));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.sqlite3");
    let log = AuditLog::open(&path, &in_store()).unwrap();
    (folder, path, log)
}

fn in_store() -> AuditLogConfig {
    AuditLogConfig { journal: JournalMode::Store, ..AuditLogConfig::default() }
}

async fn record(log: &AuditLog) -> bool {
    let event = EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent("a")).finish();
    log.record(event).await.is_ok()
}

/// Returns the types of the events in a file. Those about the trail itself include their numbers of events.
fn stored(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let columns = "SELECT event_type, event ->> '$.details.events_failed', event ->> '$.details.events_stored' FROM events";
    let mut select = connection.prepare(columns).unwrap();
    let rows = select.query_map([], |row| {
        let number = |column| row.get::<_, Option<i64>>(column).unwrap();
        let kind: String = row.get(0)?;
        let kind = kind.trim_start_matches("dev.cloto.mgp.").to_owned();
        Ok(match number(1).or(number(2)) {
            Some(number) => format!("{kind} {number}"),
            None => kind,
        })
    });
    rows.unwrap().map(Result::unwrap).collect()
}

/// Waits until events can be stored again.
async fn recovers(log: &AuditLog) {
    // `admit` would count a refusal.
    until(|| !log.writer().is_failing()).await;
}

const FULL: &str =
    "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'disk is full'); END";

#[tokio::test]
async fn a_failing_trail_admits_nothing_and_reports_the_outage_once() {
    let (_folder, path, log) = open();
    assert!(record(&log).await && log.admit().is_ok());
    let other = Connection::open(&path).unwrap();
    other.execute_batch(FULL).unwrap();
    assert!(!record(&log).await);
    assert!(log.admit().unwrap_err().to_string().contains("disk is full"));
    assert!(!record(&log).await && log.flush().await.is_err());
    other.execute_batch("DROP TRIGGER full").unwrap();
    // The trail recovers even if no event is recorded.
    recovers(&log).await;
    assert!(record(&log).await);
    assert_eq!(stored(&path), ["TOOL_EXECUTED", "AUDIT_INTERRUPTED 2", "TOOL_EXECUTED"]);
    let told = log.latest(AuditFilter::default()).await.unwrap().remove(1).details.unwrap();
    assert_eq!(told.decode("calls_refused").unwrap(), Some(1));
}

#[tokio::test]
async fn an_outage_that_nobody_noticed_leaves_no_event() {
    let (_folder, path, log) = open();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let waiting = log.record(EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent("a")).finish());
    until(|| log.writer().is_failing()).await;
    other.execute_batch("COMMIT").unwrap();
    waiting.await.unwrap();
    assert!(log.admit().is_ok());
    assert_eq!(stored(&path), ["TOOL_EXECUTED"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_replaces_the_trail_gets_the_later_events() {
    let (folder, path, log) = open();
    for _ in 0..3 {
        assert!(record(&log).await);
    }
    let aside = folder.path().join("aside.sqlite3");
    fs::rename(&path, &aside).unwrap();
    let other = AuditLog::open(&path, &in_store()).unwrap();
    assert!(record(&other).await && record(&log).await && record(&other).await);
    let expected = ["TOOL_EXECUTED", "AUDIT_FILE_REPLACED 3", "TOOL_EXECUTED", "TOOL_EXECUTED"];
    assert_eq!(stored(&path), expected);
}

/// Makes a copy of a trail next to a path.
#[cfg(unix)]
fn copy(from: &Path, place: &Path) -> PathBuf {
    let copy = place.with_extension("copy");
    Connection::open(from).unwrap().execute("VACUUM INTO ?", [copy.to_str().unwrap()]).unwrap();
    copy
}

/// Replaces a trail with a copy, as when a backup is restored.
#[cfg(unix)]
fn restore(copy: &Path, place: &Path) {
    for end in ["-wal", "-shm"] {
        fs::remove_file(format!("{}{end}", place.display())).unwrap();
    }
    fs::rename(copy, place).unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_replacement_file_with_more_events_is_another_trail() {
    let (_folder, path, log) = open();
    let (_elsewhere, longer, other) = open();
    for _ in 0..2 {
        assert!(record(&log).await);
    }
    for _ in 0..4 {
        assert!(record(&other).await);
    }
    restore(&copy(&longer, &path), &path);
    assert!(record(&log).await);
    let ran = "TOOL_EXECUTED";
    assert_eq!(stored(&path), [ran, ran, ran, ran, "AUDIT_FILE_REPLACED 2", ran]);
    // The second time, the event about the first one is among those that were stored.
    restore(&copy(&longer, &path), &path);
    assert!(record(&log).await);
    assert_eq!(stored(&path), [ran, ran, ran, ran, "AUDIT_FILE_REPLACED 2", ran]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_copy_of_the_trail_is_another_one_only_if_it_lacks_events() {
    let (_folder, path, log) = open();
    let ran = "TOOL_EXECUTED";
    for _ in 0..2 {
        assert!(record(&log).await);
    }
    restore(&copy(&path, &path), &path);
    assert!(record(&log).await);
    assert_eq!(stored(&path), [ran, ran, ran], "it has them all");
    let older = copy(&path, &path);
    assert!(record(&log).await);
    restore(&older, &path);
    assert!(record(&log).await);
    assert_eq!(stored(&path), [ran, ran, ran, "AUDIT_FILE_REPLACED 4", ran]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_reader_continues_in_the_file_that_replaced_the_trail() {
    let (_folder, path, log) = open();
    for _ in 0..3 {
        assert!(record(&log).await);
    }
    let page = log.latest_page(AuditFilter::default()).await.unwrap();
    fs::remove_file(&path).unwrap();
    let other = AuditLog::open(&path, &in_store()).unwrap();
    assert!(record(&other).await);
    let page = log.after(page.next, AuditFilter::default()).await.unwrap();
    assert_eq!(page.events.len(), 1);
    assert!(record(&other).await);
    let page = log.after(page.next, AuditFilter::default()).await.unwrap();
    assert_eq!((page.events.len(), page.has_more), (1, false));
}

#[tokio::test]
async fn pages_meet_without_a_gap_under_any_filter() {
    let (_folder, _, log) = open();
    let none = AuditFilter { last: 0, ..Default::default() };
    let page = log.latest_page(none.clone()).await.unwrap();
    for number in 0..10 {
        let agent = Principal::agent(if number % 3 == 0 { "a" } else { "b" });
        log.record(EventDraft::new(AuditEventType::ToolExecuted, &agent).finish()).await.unwrap();
    }
    let filter = AuditFilter { actor_id: Some("a".into()), last: 3, ..Default::default() };
    let (mut next, mut seen) = (page.next.clone(), Vec::new());
    loop {
        let page = log.after(next, filter.clone()).await.unwrap();
        seen.extend(page.events.iter().map(|event| event.seq().unwrap()));
        next = page.next;
        if !page.has_more {
            break;
        }
    }
    assert_eq!(seen, [1, 4, 7, 10]);
    assert!(log.after(next, AuditFilter::default()).await.unwrap().events.is_empty());
    let page = log.after(page.next, none).await.unwrap();
    assert!(page.events.is_empty() && !page.has_more, "who asks for none is not asked to come again");
}
