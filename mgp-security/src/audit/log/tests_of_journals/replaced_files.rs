//! Tests of journals whose trail has another file by now.

use super::support::{Trail, events, record};
use crate::audit::AuditFilter;
use std::fs;

#[cfg(unix)]
#[tokio::test]
async fn events_that_wait_in_the_journal_go_to_a_replaced_file() {
    let trail = Trail::new();
    let log = trail.open();
    for number in 0..3 {
        record(&log, number).await;
    }
    log.flush().await.unwrap();
    for end in ["", "-wal", "-shm"] {
        fs::remove_file(format!("{}{end}", trail.path().display())).unwrap();
    }
    record(&log, 3).await;
    record(&log, 4).await;
    assert_eq!(events(&log).await, ["replaced", "3", "4"]);
    let first = log.latest(AuditFilter::default()).await.unwrap().remove(0);
    assert_eq!(first.seq(), Some(4), "the numbers continue");
    assert_eq!(first.details.unwrap().decode("events_stored").unwrap(), Some(3));
    assert!(log.verify(None).await.unwrap().is_intact());
}

#[cfg(unix)]
#[tokio::test]
async fn an_older_copy_of_the_file_gets_only_later_events() {
    let trail = Trail::new();
    let log = trail.open();
    record(&log, 0).await;
    log.flush().await.unwrap();
    let copy = trail.folder.path().join("copy");
    trail.sqlite().execute("VACUUM INTO ?", [copy.to_str().unwrap()]).unwrap();
    record(&log, 1).await;
    log.flush().await.unwrap();
    for end in ["-wal", "-shm"] {
        fs::remove_file(format!("{}{end}", trail.path().display())).unwrap();
    }
    fs::rename(copy, trail.path()).unwrap();
    record(&log, 2).await;
    let shown = log.latest(AuditFilter::default()).await.unwrap();
    let types: Vec<_> = shown.iter().map(|event| event.event_type.as_str()).collect();
    assert_eq!(types, ["TOOL_EXECUTED", "dev.cloto.mgp.AUDIT_FILE_REPLACED", "TOOL_EXECUTED"]);
    assert!(log.verify(None).await.unwrap().is_intact());
}
