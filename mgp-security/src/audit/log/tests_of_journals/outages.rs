//! Tests of trails and journals that cannot be written for a while.

use super::support::{Trail, event, events, numbers, record};
use crate::audit::{AuditFilter, AuditLog, AuditLogConfig, AuditSink};
use std::fs;
use xtask_testing::until;

#[tokio::test]
async fn a_file_that_cannot_take_events_stops_calls_until_it_can() {
    let trail = Trail::new();
    let log = trail.open();
    record(&log, 0).await;
    log.flush().await.unwrap();
    let other = trail.sqlite();
    let full = "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'disk is full'); END";
    other.execute_batch(full).unwrap();
    record(&log, 1).await;
    until(|| log.writer().is_failing()).await;
    assert!(log.admit().unwrap_err().to_string().contains("disk is full"));
    assert!(log.record(event(2)).await.is_err(), "no event is stored during an outage");
    assert_eq!(events(&log).await, numbers(1), "the file can still be read");
    assert!(log.verify(None).await.unwrap_err().message.contains("disk is full"));
    other.execute_batch("DROP TRIGGER full").unwrap();
    until(|| !log.writer().is_failing()).await;
    record(&log, 3).await;
    assert_eq!(events(&log).await, ["0", "1", "interrupted disk is full", "3"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_journal_that_cannot_be_written_stops_calls_until_it_can() {
    let trail = Trail::new();
    fs::write(trail.journals(), "no folder").unwrap();
    let log = AuditLog::open(trail.path(), &AuditLogConfig::default()).unwrap();
    let error = log.record(event(0)).await.unwrap_err().to_string();
    assert!(error.contains("journal"), "{error}");
    assert!(log.admit().is_err());
    fs::remove_file(trail.journals()).unwrap();
    until(|| !log.writer().is_failing()).await;
    record(&log, 1).await;
    let shown = log.latest(AuditFilter::default()).await.unwrap();
    let told = shown[0].details.as_ref().unwrap();
    let counts = ["events_failed", "calls_refused"].map(|name| told.decode::<u64>(name).unwrap().unwrap());
    assert_eq!((shown.len(), counts), (2, [1, 1]));
}
