//! Tests of calls whose key cannot be stored or looked up.

use super::support::*;
use crate::idempotency::{Claim, EntryBounds, EntryId, IdempotencyStore, NewEntry, Outcome, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_types::error::{ErrorCode, Recovery};
use std::sync::Arc;

/// A store whose disk is gone.
#[derive(Debug)]
struct BrokenStore;

fn broken<T>() -> Result<T, StoreError> {
    Err(StoreError::new("disk on fire"))
}

#[async_trait]
impl IdempotencyStore for BrokenStore {
    async fn claim(&self, _: NewEntry, _: EntryBounds) -> Result<Claim, StoreError> {
        broken()
    }

    async fn foresee(&self, _: NewEntry, _: EntryBounds) -> Result<Claim, StoreError> {
        broken()
    }

    async fn keep(&self, _: &EntryId, _: Outcome, _: EntryBounds) -> Result<(), StoreError> {
        broken()
    }

    async fn release(&self, _: &EntryId) -> Result<(), StoreError> {
        broken()
    }

    async fn sweep(&self, _: Timestamp) -> Result<usize, StoreError> {
        broken()
    }

    async fn version(&self) -> Result<i64, StoreError> {
        broken()
    }
}

#[tokio::test]
async fn while_keys_cannot_be_stored_no_keyed_call_is_sent() {
    let (store, server): (Arc<dyn IdempotencyStore>, _) = (Arc::new(BrokenStore), CountingServer::new());
    let service = serve(&store, &server);
    for keyed in [keyed("k", "{}"), keyed("k", "{}").dry()] {
        let refused = call(&service, keyed).await;
        let error = refused.as_error().unwrap();
        assert_eq!(error.code, i64::from(ErrorCode::ResourceExhausted));
        let parts = ["so the call was not sent", "disk on fire"];
        assert!(parts.iter().all(|part| error.message.contains(part)), "{}", error.message);
        assert!(Recovery::from_error(error).unwrap().retryable, "nothing was sent");
    }
    assert_eq!(server.reached(), 0);
    call(&service, xtask_testing::TestCall::new(r#"{"name":"t"}"#)).await;
    assert_eq!(server.reached(), 1, "a call without a key needs no store");
}
