//! Tests of several processes at one trail.

use super::support::{Trail, events, numbers, record};
use crate::audit::{AuditLog, AuditLogConfig, AuditSink};
use std::{path::Path, thread};
use xtask_testing::until;

#[tokio::test]
async fn events_are_stored_while_another_process_locks_the_file() {
    let trail = Trail::new();
    let log = trail.open();
    record(&log, 0).await;
    let other = trail.sqlite();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for number in 1..50 {
        record(&log, number).await;
    }
    assert!(log.admit().is_ok());
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(events(&trail.open()).await, numbers(50), "as another process sees them");
}

#[tokio::test]
async fn each_process_sees_every_event_at_once() {
    let trail = Trail::new();
    let logs = [trail.open(), trail.open()];
    for number in 0..40 {
        record(&logs[number % 2], number).await;
        assert_eq!(events(&logs[(number + 1) % 2]).await, numbers(number + 1));
    }
    assert_eq!(trail.files().len(), 2);
    drop(logs);
    until(|| trail.files().is_empty()).await;
    assert_eq!(events(&trail.open()).await, numbers(40));
}

#[tokio::test]
async fn a_reader_alone_leaves_no_journal() {
    let trail = Trail::new();
    assert!(events(&trail.open()).await.is_empty());
    assert!(!trail.journals().exists());
}

#[test]
fn two_processes_recover_a_journal_together_exactly_once() {
    let trail = Trail::killed_with(5000, 20_000);
    let path: &Path = &trail.path();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| AuditLog::open(path, &AuditLogConfig::default()).unwrap());
        }
    });
    let count = "SELECT count(*) FROM all_events";
    let count: i64 = trail.sqlite().query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!((count, trail.files()), (5000, Vec::new()));
}
