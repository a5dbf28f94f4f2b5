//! Tests of the idempotency keys of calls that undo steps.

use super::support::*;
use crate::idempotency::{EntryBounds, IdempotencySettings};
use crate::transaction::SqlTransactionStore;
use std::sync::Arc;

#[tokio::test(start_paused = true)]
async fn a_caller_at_its_key_limit_can_still_be_rolled_back() {
    for (entries, expected) in [
        (1, "rolled_back: jira compensated, confluence compensated"),
        (0, "partially_rolled_back: jira compensation_failed, confluence compensation_failed"),
    ] {
        let world = World::default();
        let bounds = EntryBounds { entries, ..IdempotencySettings::default().bounds };
        let keys = IdempotencySettings { bounds, ..IdempotencySettings::default() };
        let backend = Backend::Memory(Arc::new(SqlTransactionStore::in_memory()));
        let process = Process::over(backend.open().await, &world).start_layered(keys);
        process.begin().await;
        process.step("jira", "make").await;
        process.step("confluence", "make").await;
        assert_eq!(line(&process.rollback().await), expected, "{entries}");
    }
}
