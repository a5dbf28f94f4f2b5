//! Tests of the settings of a trail.

use super::support::{Trail, events, numbers, record};
use crate::audit::log::{AuditLog, AuditLogConfig, Durability, JournalMode};

#[tokio::test]
async fn the_store_mode_reads_journals_too_and_writes_none() {
    let trail = Trail::killed(3);
    let config = AuditLogConfig { journal: JournalMode::Store, ..AuditLogConfig::default() };
    let log = AuditLog::open(trail.path(), &config).unwrap();
    record(&log, 3).await;
    assert_eq!((events(&log).await, trail.files()), (numbers(4), Vec::new()));
}

#[tokio::test]
async fn an_event_that_survives_a_loss_of_power_is_read_back() {
    let trail = Trail::new();
    let config = AuditLogConfig { durability: Durability::Power, ..AuditLogConfig::default() };
    let log = AuditLog::open(trail.path(), &config).unwrap();
    for number in 0..20 {
        record(&log, number).await;
    }
    assert_eq!((events(&log).await, trail.files().len()), (numbers(20), 1));
}
