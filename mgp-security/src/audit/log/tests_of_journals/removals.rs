//! Tests of journals whose files were removed.

use super::support::{Trail, and, event, events, numbers, record};
use crate::audit::AuditSink;
use std::fs;

#[tokio::test]
async fn a_missing_segment_is_reported() {
    let trail = Trail::killed(4);
    fs::remove_file(trail.segment(0)).unwrap();
    let log = trail.open();
    assert_eq!(events(&log).await, ["damaged missing"]);
    assert_eq!(events(&log).await.len(), 1, "it is reported once");
    // One of several: the others do not follow.
    let trail = Trail::killed_with(12, 1000);
    fs::remove_file(trail.segment(1)).unwrap();
    let log = trail.open();
    let shown = events(&log).await;
    assert!((2..7).contains(&shown.len()), "{shown:?}");
    assert_eq!(shown, and(numbers(shown.len() - 1), "damaged missing"));
    let aside = log.verify(None).await.unwrap().problem_count;
    assert_eq!((aside as usize, trail.segment(2).exists()), (trail.files().len(), false));
}

#[cfg(unix)]
#[tokio::test]
async fn a_removed_journal_loses_no_event_and_another_one_is_begun() {
    let trail = Trail::new();
    let log = trail.open();
    record(&log, 0).await;
    let other = trail.sqlite();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    record(&log, 1).await;
    fs::remove_dir_all(trail.journals()).unwrap();
    // It waits for the file, because the events of the removed journal go there first.
    let waiting = log.record(event(2));
    other.execute_batch("COMMIT").unwrap();
    waiting.await.unwrap();
    assert_eq!(events(&log).await, numbers(3));
    assert_eq!(trail.files().len(), 1);
    assert!(log.verify(None).await.unwrap().is_intact());
}
