//! A store of rights that cannot be asked stops requests before they reach a server, until it answers again.

use crate::{
    raw_host::{As, RawHost},
    raw_server::{RawServer, result, text},
    support::{agent_test, ready, until_some},
};
use async_trait::async_trait;
use mgp_kernel::{Era, Kernel};
use mgp_security::access::{
    AccessControl, AccessKey, AccessStore, SqlAccessStore, SqlStore, StoreError, StoredRows, UnreadableRule,
};
use mgp_types::access::AccessEntry;
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::Relaxed},
};

/// A store of rules that may be away.
#[derive(Debug)]
struct AwayStore {
    store: SqlAccessStore,
    is_away: Arc<AtomicBool>,
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
        if self.is_away.load(Relaxed) {
            return Err(StoreError::new("nobody answers"));
        }
        self.store.version().await
    }
}

#[tokio::test]
async fn no_request_reaches_a_server_while_rights_are_unknown() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}, "resources": {}}), |message| {
        let read = json!({"contents": [{"uri": "file:///a", "text": "text"}]});
        match message["method"].as_str() {
            Some("tools/call") => Some(vec![text(message, "done")]),
            Some("resources/list") => {
                Some(vec![result(message, json!({"resources": [{"uri": "file:///a", "name": "a"}]}))])
            }
            Some("resources/read") => Some(vec![result(message, read)]),
            _ => None,
        }
    });
    let is_away = Arc::new(AtomicBool::new(false));
    let store = AwayStore { store: SqlAccessStore::in_memory(), is_away: is_away.clone() };
    let access = AccessControl::open(Arc::new(store)).await.unwrap();
    let grant = AccessEntry::allow("agent.test").server("srv");
    let builder = Kernel::builder().access(access).grant(grant).config(agent_test);
    let kernel = builder.server(server.spec("srv")).start().await.unwrap();
    ready(&kernel).await;
    let mut host = RawHost::connect(&kernel, As::mgp(Era::Initialize)).await;
    let requests = [
        ("tools/call", json!({"name": "work", "arguments": {}})),
        ("resources/read", json!({"uri": "file:///a"})),
    ];
    for (method, params) in requests {
        let mut ask = async || host.once(method, params.clone()).await;
        let first = ask().await;
        assert!(first.get("result").is_some(), "{method}: {first}");
        is_away.store(true, Relaxed);
        let refused: Value = until_some(async || ask().await.get("error").cloned()).await;
        assert_eq!(refused["code"], 3001, "{method}: {refused}");
        let message = refused["message"].as_str().unwrap();
        assert!(message.contains("nobody answers") && message.contains("store.on_outage"), "{message}");
        let reached = server.read_of(method).len();
        assert!(ask().await.get("error").is_some());
        assert_eq!(server.read_of(method).len(), reached, "{method}");
        is_away.store(false, Relaxed);
        until_some(async || ask().await.get("result").cloned()).await;
    }
    kernel.shutdown().await;
}
