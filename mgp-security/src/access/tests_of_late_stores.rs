//! Tests of calls that wait until a store shows whether rights were revoked.

use super::*;
use async_trait::async_trait;
use mgp_types::access::AccessEntry;
use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::time::{Instant, advance};

/// A store of rules that may give no answer.
#[derive(Debug)]
struct LateStore {
    store: SqlAccessStore,
    is_late: Arc<AtomicBool>,
}

#[async_trait]
impl AccessStore for LateStore {
    async fn load(&self) -> Result<StoredRows<AccessEntry, UnreadableRule>, StoreError> {
        self.store.load().await
    }

    async fn put(&self, entry: AccessEntry) -> Result<(), StoreError> {
        self.store.put(entry).await
    }

    async fn remove(&self, key: AccessKey) -> Result<Option<AccessEntry>, StoreError> {
        self.store.remove(key).await
    }

    async fn version(&self) -> Result<i64, StoreError> {
        if self.is_late.load(Relaxed) {
            // As a database whose packets are lost.
            tokio::time::timeout(Duration::from_secs(5), pending::<()>()).await.unwrap_err();
        }
        self.store.version().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_current_rules_and_is_refused_in_the_end() {
    let is_late = Arc::new(AtomicBool::new(false));
    let store = LateStore { store: SqlAccessStore::in_memory(), is_late: is_late.clone() };
    let access = AccessControl::open(Arc::new(store)).await.unwrap();
    assert_eq!(access.wait_until_current().await, Ok(false), "they were read just now");
    advance(Duration::from_secs(60)).await;
    assert_eq!(access.wait_until_current().await, Ok(true), "they are read again");
    is_late.store(true, Relaxed);
    let before = Instant::now();
    while access.wait_until_current().await.is_ok() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(before.elapsed() < Duration::from_secs(4), "{:?}", before.elapsed());
    access.set_trusts_snapshot(true);
    assert_eq!(access.wait_until_current().await, Ok(false));
    access.set_trusts_snapshot(false);
    is_late.store(false, Relaxed);
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert!(access.wait_until_current().await.is_ok());
}
