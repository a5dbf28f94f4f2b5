//! Tests of calls that are dropped while their key is claimed.

use super::support::*;
use crate::idempotency::{
    Claim, EntryBounds, EntryId, EntryState, IdempotencyStore, NewEntry, Outcome, SqlIdempotencyStore,
    StoreError,
};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_transport::seam::{BoxError, Reply, ToolCall};
use mgp_types::json::RawJson;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tower::{Layer, ServiceExt, service_fn};
use xtask_testing::within;

/// A store whose claims are made at once, and return when the test adds permits.
#[derive(Debug)]
struct SlowStore {
    inner: SqlIdempotencyStore,
    claimed: Semaphore,
    gate: Semaphore,
}

#[async_trait]
impl IdempotencyStore for SlowStore {
    async fn claim(&self, entry: NewEntry, bounds: EntryBounds) -> Result<Claim, StoreError> {
        let claim = self.inner.claim(entry, bounds).await;
        self.claimed.add_permits(1);
        self.gate.acquire().await.unwrap().forget();
        claim
    }

    async fn keep(&self, id: &EntryId, outcome: Outcome, bounds: EntryBounds) -> Result<(), StoreError> {
        self.inner.keep(id, outcome, bounds).await
    }

    async fn release(&self, id: &EntryId) -> Result<(), StoreError> {
        self.inner.release(id).await
    }

    async fn sweep(&self, now: Timestamp) -> Result<usize, StoreError> {
        self.inner.sweep(now).await
    }

    async fn version(&self) -> Result<i64, StoreError> {
        self.inner.version().await
    }
}

#[tokio::test]
async fn a_key_dropped_before_sending_is_reusable() {
    let slow = Arc::new(SlowStore {
        inner: SqlIdempotencyStore::in_memory(),
        claimed: Semaphore::new(0),
        gate: Semaphore::new(0),
    });
    let store: Arc<dyn IdempotencyStore> = slow.clone();
    let server = CountingServer::new();
    let service = serve(&store, &server);
    let dropped = tokio::spawn(service.clone().oneshot(keyed("k", "{}").identified()));
    within(slow.claimed.acquire()).await.unwrap().forget();
    dropped.abort();
    assert!(within(dropped).await.unwrap_err().is_cancelled());
    slow.gate.add_permits(8);
    let reply = call(&service, keyed("k", "{}")).await;
    assert_eq!((was_replay(&reply), server.reached()), (Some(false), 1), "{}", problem(&reply));
}

#[tokio::test]
async fn a_key_is_stored_before_its_call_is_sent() {
    for (store, _folder) in stores().await {
        let seen = store.clone();
        let server = service_fn(move |call: ToolCall| {
            let store = seen.clone();
            async move {
                let key = mgp_types::idempotency::IdempotencyKey::new("k").unwrap();
                let id = EntryId::of(&call, &key);
                let now = Timestamp::now();
                let arguments = crate::idempotency::entry::arguments_digest(&call);
                let caller = call.principal.id().to_owned();
                let again = NewEntry { id, caller, arguments, made_at: now, expires_at: now };
                let Claim::Exists(entry) = store.claim(again, settings().bounds).await.unwrap() else {
                    panic!("it is not stored");
                };
                assert_eq!(entry.state, EntryState::Pending { here: true });
                call.record.update(|record| (record.attempts, record.answered) = (1, Some(true)));
                Ok::<_, BoxError>(Reply::ok(RawJson::empty_object()))
            }
        });
        let reply = layer(&store).layer(server).oneshot(keyed("k", "{}").identified()).await.unwrap();
        assert_eq!(was_replay(&reply), Some(false));
    }
}
