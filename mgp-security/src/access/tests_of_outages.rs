//! Tests of access control whose store is away or late.

use super::{tests::rule, *};
use crate::testing::TestCall;
use async_trait::async_trait;
use mgp_transport::seam::{Decision, Judge as _};
use mgp_types::{
    access::{AccessDecision::Allow, AccessEntry, DefaultPolicy},
    context::{Target, ToolId},
};
use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::time::{Instant, advance, sleep, timeout};
use xtask_testing::{until, until_some};
/// A store of a database that may be away.
#[derive(Debug)]
struct AwayStore {
    store: SqlAccessStore,
    is_away: Arc<AtomicBool>,
    /// True if the database gives no answer.
    is_late: Arc<AtomicBool>,
}

impl AwayStore {
    fn new() -> Self {
        Self { store: SqlAccessStore::in_memory(), is_away: Arc::default(), is_late: Arc::default() }
    }
}

#[async_trait]
impl AccessStore for AwayStore {
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
            timeout(Duration::from_secs(5), pending::<()>()).await.unwrap_err();
        }
        if self.is_away.load(Relaxed) {
            Err(StoreError::new("nobody answers"))
        } else {
            self.store.version().await
        }
    }
}

#[tokio::test]
async fn calls_are_refused_while_rights_cannot_be_asked_for() {
    let is_away = Arc::new(AtomicBool::new(false));
    let store = AwayStore { is_away: is_away.clone(), ..AwayStore::new() };
    let control = AccessControl::open(Arc::new(store)).await.unwrap();
    control.set_server("s", DefaultPolicy::OptIn);
    control.put(rule("a", Some("t"), Allow)).await.unwrap();
    let mut call = TestCall::new("{}").principal("a");
    call.call.target = Target { tool: ToolId::new("s", "t"), called_as: "t".into() }.into();
    let call = call.identified();
    let refusal = || match control.judge(&call) {
        Decision::Allow => None,
        Decision::Refuse(refusal) => {
            refusal.answer.as_error().map(|error| (error.code, error.message.clone()))
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(refusal(), None);
    is_away.store(true, Relaxed);
    let (code, message) = until_some(async || refusal()).await;
    assert_eq!(code, 3001);
    assert!(message.contains("nobody answers") && message.contains("store.on_outage"), "{message}");
    control.set_trusts_snapshot(true);
    assert_eq!(refusal(), None);
    control.set_trusts_snapshot(false);
    is_away.store(false, Relaxed);
    until(|| refusal().is_none()).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_current_rules_and_is_refused_in_the_end() {
    let is_late = Arc::new(AtomicBool::new(false));
    let store = AwayStore { is_late: is_late.clone(), ..AwayStore::new() };
    let access = AccessControl::open(Arc::new(store)).await.unwrap();
    assert_eq!(access.wait_until_current().await, Ok(false), "they were read just now");
    advance(Duration::from_secs(60)).await;
    assert_eq!(access.wait_until_current().await, Ok(true), "they are read again");
    is_late.store(true, Relaxed);
    let before = Instant::now();
    while access.wait_until_current().await.is_ok() {
        sleep(Duration::from_millis(10)).await;
    }
    assert!(before.elapsed() < Duration::from_secs(4), "{:?}", before.elapsed());
    access.set_trusts_snapshot(true);
    assert_eq!(access.wait_until_current().await, Ok(false));
    access.set_trusts_snapshot(false);
    is_late.store(false, Relaxed);
    sleep(Duration::from_secs(6)).await;
    assert!(access.wait_until_current().await.is_ok());
}
