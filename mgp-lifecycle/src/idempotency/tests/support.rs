//! A server that counts its calls, and calls with a key.

use crate::idempotency::{
    EntryBounds, EntryId, Idempotency, IdempotencyLayer, IdempotencySettings, IdempotencyStore, NewEntry,
    SqlIdempotencyStore, entry::arguments_digest,
};
use futures_util::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use mgp_store::{
    sql::{Database, Row, postgres::PostgresStore},
    sqlite::set_lock_timeout,
};
use mgp_transport::seam::{BoxError, Reply, ToolCall};
use mgp_types::{
    idempotency::{IdempotencyKey, ReplayNote},
    json::{RawJson, RawObject},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};
use tokio::sync::Semaphore;
use tower::{Layer, Service, ServiceExt};
use xtask_testing::{TestCall, postgres, until, within};

/// A server that is called through the layer. Clones are the same server.
#[derive(Debug, Clone)]
pub(super) struct CountingServer {
    pub(super) calls: Arc<AtomicUsize>,
    /// A call ends when it gets a permit.
    pub(super) gate: Arc<Semaphore>,
    answer: Reply,
    /// False if calls fail before they are sent.
    sends: bool,
}

impl CountingServer {
    pub(super) fn new() -> Self {
        Self {
            calls: Arc::default(),
            gate: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)),
            answer: Reply::ok(RawJson::parse(r#"{"content":[]}"#).unwrap()),
            sends: true,
        }
    }

    pub(super) fn answering(answer: Reply) -> Self {
        Self { answer, ..Self::new() }
    }

    pub(super) fn unsent(answer: Reply) -> Self {
        Self { answer, sends: false, ..Self::new() }
    }

    /// Creates a server whose calls end when the test adds permits.
    pub(super) fn held() -> Self {
        Self { gate: Arc::new(Semaphore::new(0)), ..Self::new() }
    }

    pub(super) fn reached(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    pub(super) async fn until_reached(&self, calls: usize) {
        until(|| self.reached() >= calls).await;
    }
}

impl Service<ToolCall> for CountingServer {
    type Response = Reply;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        let server = self.clone();
        Box::pin(async move {
            if server.sends {
                call.record.update(|record| (record.attempts, record.answered) = (1, Some(true)));
            }
            server.calls.fetch_add(1, Ordering::SeqCst);
            let _permit = server.gate.acquire().await.unwrap();
            Ok(server.answer.clone())
        })
    }
}

pub(super) fn settings() -> IdempotencySettings {
    IdempotencySettings {
        bounds: EntryBounds { entries: 3, answer_bytes: 200, all_bytes: 300 },
        ..IdempotencySettings::default()
    }
}

/// A store that several processes share.
pub(super) enum SharedStore {
    Sqlite(tempfile::TempDir),
    Postgres(String),
}

impl SharedStore {
    /// Returns a new store of each engine.
    pub(super) async fn each() -> Vec<Self> {
        let mut each = vec![Self::Sqlite(tempfile::tempdir().unwrap())];
        each.extend(postgres().await.map(Self::Postgres));
        each
    }

    /// Opens the store, as another process does.
    pub(super) async fn open(&self) -> SqlIdempotencyStore {
        // On a busy machine, the other process may keep the file for longer than usual.
        set_lock_timeout(Duration::from_secs(120));
        match self {
            Self::Sqlite(folder) => SqlIdempotencyStore::open(folder.path().join("keys.sqlite3")).unwrap(),
            Self::Postgres(_) => SqlIdempotencyStore::enter(self.tables().await).await.unwrap(),
        }
    }

    /// Opens the tables, for statements by hand.
    pub(super) async fn tables(&self) -> Database {
        let schema = SqlIdempotencyStore::SCHEMA;
        match self {
            Self::Sqlite(folder) => Database::open(&folder.path().join("keys.sqlite3"), schema).unwrap(),
            Self::Postgres(url) => PostgresStore::new(url).unwrap().tables(schema),
        }
    }

    /// Returns the number of processes that have marked themselves.
    pub(super) async fn marks(&self) -> usize {
        match self {
            Self::Sqlite(folder) => std::fs::read_dir(folder.path().join("keys.owners")).unwrap().count(),
            Self::Postgres(_) => rows(&self.tables().await, "SELECT id FROM entry_owners").await.len(),
        }
    }
}

/// Runs a statement by hand.
pub(super) async fn rows(tables: &Database, sql: &str) -> Vec<Row> {
    let sql = sql.to_owned();
    tables.write_for(Vec::new(), move |connection| connection.rows(&sql, &[])).await.unwrap()
}

/// Returns a store of each kind, with the folder of its file.
pub(super) async fn stores() -> Vec<(Arc<dyn IdempotencyStore>, Option<SharedStore>)> {
    let memory: Arc<dyn IdempotencyStore> = Arc::new(SqlIdempotencyStore::in_memory());
    let mut stores = vec![(memory, None)];
    for shared in SharedStore::each().await {
        stores.push((Arc::new(shared.open().await), Some(shared)));
    }
    stores
}

/// Returns an entry of `ann` that is made at a time and ends hours later.
pub(super) fn entry(key: &str, made_at: Timestamp, hours: i64) -> NewEntry {
    let call = keyed(key, "{}").identified();
    NewEntry {
        id: EntryId::of(&call, &IdempotencyKey::new(key).unwrap()),
        caller: "ann".to_owned(),
        arguments: arguments_digest(&call),
        made_at,
        expires_at: made_at + SignedDuration::from_hours(hours),
    }
}

pub(super) fn layer(store: &Arc<dyn IdempotencyStore>) -> IdempotencyLayer {
    IdempotencyLayer::new(store.clone(), settings())
}

pub(super) fn serve(
    store: &Arc<dyn IdempotencyStore>,
    server: &CountingServer,
) -> Idempotency<CountingServer> {
    layer(store).layer(server.clone())
}

/// Returns a call of the agent `ann` with a key and arguments.
pub(super) fn keyed(key: &str, arguments: &str) -> TestCall {
    let params = format!(r#"{{"name":"t","arguments":{arguments},"_meta":{{"idempotency_key":"{key}"}}}}"#);
    TestCall::new(&params).principal("ann")
}

pub(super) async fn call(service: &Idempotency<CountingServer>, call: TestCall) -> Reply {
    within(service.clone().oneshot(call.identified())).await.unwrap()
}

/// Returns whether a reply states that it is a replay, or `None` if it does not say.
pub(super) fn was_replay(reply: &Reply) -> Option<bool> {
    let text = reply.result().or_else(|| reply.as_error()?.data.as_ref())?;
    ReplayNote::of(&RawObject::from_json(text).ok()?).map(|note| note.was_replay)
}

/// Returns the text of an error, or an empty text for a result.
pub(super) fn problem(reply: &Reply) -> String {
    reply.as_error().map(ToString::to_string).unwrap_or_default()
}
