//! Servers whose tools make and remove things, and transactions over them.

use crate::{
    idempotency::{
        Idempotency, IdempotencyLayer, IdempotencySettings, IdempotencyStore, SqlIdempotencyStore,
    },
    transaction::{
        CompensationCall, CompensationEnd, Compensator, DeclaredCompensations, SqlTransactionStore, Steps,
        Transaction, TransactionEvent, TransactionKey, TransactionLayer, TransactionObserver,
        TransactionSettings, TransactionStore, Transactions,
    },
};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use mgp_store::{
    sql::{Database, Row, postgres::PostgresStore},
    sqlite::set_lock_timeout,
};
use mgp_transport::seam::{BoxError, Reply, ToolCall};
use mgp_types::{
    context::{Principal, ToolId},
    error::{ErrorCode, Recovery},
    idempotency::{IdempotentRequest, ReplayNote},
    json::{RawJson, RawObject},
    rpc::ErrorObject,
    transaction::{BeginTransactionParams, RollbackTransactionParams, TransactionReport},
};
use parking_lot::Mutex;
use std::{
    collections::{BTreeSet, HashSet},
    path::Path,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tower::{Layer, Service, ServiceExt};
use xtask_testing::{TestCall, postgres, until, until_some, within};

/// The world behind all servers: the things that exist, and the order in which they were removed. Clones are the same world.
#[derive(Debug, Clone, Default)]
pub(super) struct World(pub(super) Arc<Mutex<Things>>);

#[derive(Debug, Default)]
pub(super) struct Things {
    pub(super) there: BTreeSet<String>,
    pub(super) removed: Vec<String>,
    /// The keys of the calls that removed something: a second call with one of them does nothing, as behind idempotency keys.
    keys: HashSet<String>,
    /// The servers whose removals fail.
    pub(super) failing: HashSet<String>,
    /// The servers whose removals are sent and never answered.
    pub(super) hanging: HashSet<String>,
    /// The removals that were sent through layers.
    pub(super) sent: Vec<String>,
    /// True if the tool `slow` answers.
    pub(super) is_released: bool,
    /// The servers whose removals are made, and whose answers are lost.
    pub(super) losing: HashSet<String>,
    /// The number of removals that are not sent before one is.
    pub(super) unsent: usize,
    /// The number of removals after which the process is gone and their outcome is lost.
    pub(super) crash_after: Option<usize>,
}

impl World {
    pub(super) fn there(&self) -> Vec<String> {
        self.0.lock().there.iter().cloned().collect()
    }

    pub(super) fn removed(&self) -> Vec<String> {
        self.0.lock().removed.clone()
    }

    pub(super) fn sent(&self) -> Vec<String> {
        self.0.lock().sent.clone()
    }

    /// Answers the tool `remove`, as its server does.
    async fn answer_removal(&self, call: &ToolCall) -> Reply {
        let server = call.target.tool.server_id.to_string();
        let is_hanging = {
            let mut things = self.0.lock();
            if things.unsent > 0 {
                things.unsent -= 1;
                return Reply::error(ErrorCode::ServerRestarting.error_unsent("it starts"));
            }
            call.record.update(|record| (record.attempts, record.answered) = (1, Some(true)));
            things.sent.push(server.clone());
            if things.failing.contains(&server) {
                return Reply::error(ErrorObject::new(-32000_i64, "the API is down"));
            }
            if !things.hanging.contains(&server) {
                let name = call.arguments().unwrap().as_str().to_owned();
                assert!(things.there.remove(&name), "{name} is removed twice");
                things.removed.push(format!("{server} remove"));
            }
            things.hanging.contains(&server)
        };
        if is_hanging {
            std::future::pending::<()>().await;
        }
        Reply::ok(RawJson::parse(r#"{"content":[]}"#).unwrap())
    }
}

/// A way to undo steps through the layers of keys and of transactions, as in a kernel.
#[derive(Clone, Default)]
struct LayeredWorld(Arc<Mutex<Option<Idempotency<Steps<World>>>>>);

#[async_trait]
impl Compensator for LayeredWorld {
    async fn compensate(&self, call: CompensationCall) -> CompensationEnd {
        let mut params = RawObject::from_iter([("arguments", call.arguments.clone())]);
        IdempotentRequest { key: call.key.clone(), ttl_seconds: None }.write(&mut params);
        let mut made = TestCall::new(params.to_json().as_str()).principal(&call.caller.id);
        Arc::make_mut(&mut made.call.target).tool = ToolId::new(call.server_id.as_str(), call.tool.as_str());
        made.call.ext.insert(call.mark.clone());
        let Some(layers) = self.0.lock().clone() else { return CompensationEnd::Gone };
        let reply = layers.oneshot(made.identified()).await.unwrap();
        let Some(error) = reply.as_error() else { return CompensationEnd::Done };
        match Recovery::from_error(error) {
            Some(advice) if advice.is_outcome_unknown() => CompensationEnd::Unknown(error.to_string()),
            Some(advice) if advice.retryable => CompensationEnd::Unsent(error.to_string()),
            _ if ReplayNote::of_error(error).is_some_and(|note| note.was_replay) => {
                CompensationEnd::FailedBefore(error.to_string())
            }
            _ => CompensationEnd::Failed(error.to_string()),
        }
    }
}

/// The owner of state left by a process that is gone.
pub(super) const GONE: &str = "00000000000000000000000000000000";

/// Opens a file, as a process does.
fn open_file(path: &Path) -> SqlTransactionStore {
    // On a busy machine, another process may keep the file for longer than usual.
    set_lock_timeout(Duration::from_secs(120));
    SqlTransactionStore::open(path).unwrap()
}

/// A store that the next process opens again.
pub(super) enum Backend {
    Memory(Arc<SqlTransactionStore>),
    Sqlite(tempfile::TempDir),
    Postgres(Database),
}

impl Backend {
    /// Returns the backends that need no connection, for tests that stop the clock.
    pub(super) fn both() -> [Self; 2] {
        [Self::Memory(Arc::new(SqlTransactionStore::in_memory())), Self::Sqlite(tempfile::tempdir().unwrap())]
    }

    /// Returns the backends that several processes may share.
    pub(super) async fn shared() -> Vec<Self> {
        let mut shared = vec![Self::Sqlite(tempfile::tempdir().unwrap())];
        if let Some(url) = postgres().await {
            let store = PostgresStore::new(&url).unwrap();
            shared.push(Self::Postgres(store.tables(SqlTransactionStore::SCHEMA)));
        }
        shared
    }

    pub(super) async fn each() -> Vec<Self> {
        let mut each = vec![Self::Memory(Arc::new(SqlTransactionStore::in_memory()))];
        each.extend(Self::shared().await);
        each
    }

    /// Opens the store, as another process does.
    pub(super) async fn open(&self) -> Arc<dyn TransactionStore> {
        match self {
            Self::Memory(store) => store.clone(),
            Self::Sqlite(_) | Self::Postgres(_) => Arc::new(self.open_sql().await),
        }
    }

    /// Opens the store of a database, as another process does.
    pub(super) async fn open_sql(&self) -> SqlTransactionStore {
        match self {
            Self::Memory(_) => panic!("it is not in a database"),
            Self::Sqlite(folder) => open_file(&folder.path().join("tx.sqlite3")),
            Self::Postgres(tables) => SqlTransactionStore::enter(tables.clone()).await.unwrap(),
        }
    }

    /// Removes the marks of all processes, as if these were gone.
    pub(super) async fn forget_processes(&self) {
        match self {
            Self::Memory(_) => {}
            Self::Sqlite(folder) => {
                for mark in std::fs::read_dir(folder.path().join("tx.owners")).unwrap() {
                    std::fs::remove_file(mark.unwrap().path()).unwrap();
                }
            }
            Self::Postgres(_) => {
                self.run("DELETE FROM transaction_owners").await;
            }
        }
    }

    /// Runs a statement by hand in PostgreSQL.
    pub(super) async fn run(&self, sql: &str) -> Vec<Row> {
        let Self::Postgres(tables) = self else { panic!("it is not in PostgreSQL") };
        let sql = sql.to_owned();
        tables.write(move |connection| connection.rows(&sql, &[])).await.unwrap()
    }

    /// Changes the transaction to the state left by a process that is gone.
    pub(super) async fn leave(&self, change: impl FnOnce(&mut Transaction) + Send + 'static) {
        let change = move |of: &mut Transaction| {
            of.owner = GONE.to_owned();
            change(of);
            Ok(())
        };
        let changed = self.open().await.update(&TransactionKey::new(&ann(), "tx-1"), Box::new(change)).await;
        changed.unwrap().unwrap().unwrap();
    }

    pub(super) async fn stored(&self) -> Transaction {
        self.open().await.load(&TransactionKey::new(&ann(), "tx-1")).await.unwrap().unwrap()
    }
}

#[async_trait]
impl Compensator for World {
    async fn compensate(&self, call: CompensationCall) -> CompensationEnd {
        let mut things = self.0.lock();
        if things.failing.contains(&call.server_id) {
            return CompensationEnd::Failed("the API is down".to_owned());
        }
        if things.unsent > 0 {
            things.unsent -= 1;
            return CompensationEnd::Unsent("it starts".to_owned());
        }
        if things.crash_after == Some(things.removed.len()) {
            return CompensationEnd::Gone;
        }
        if things.keys.insert(call.key.as_str().to_owned()) {
            let name = call.arguments.as_str().to_owned();
            assert!(things.there.remove(&name), "{name} is removed twice");
            things.removed.push(format!("{} {}", call.server_id, call.tool));
        }
        if things.losing.contains(&call.server_id) {
            return CompensationEnd::Unknown("no answer".to_owned());
        }
        CompensationEnd::Done
    }
}

impl Service<ToolCall> for World {
    type Response = Reply;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        let world = self.clone();
        Box::pin(async move {
            assert!(!call.params.get().unwrap().as_str().contains("transaction_id"), "it is the kernel's");
            let server = call.target.tool.server_id.to_string();
            if &*call.target.tool.tool_name == "remove" {
                return Ok(world.answer_removal(&call).await);
            }
            call.record.update(|record| (record.attempts, record.answered) = (1, Some(true)));
            match &*call.target.tool.tool_name {
                "make" => {
                    let thing = format!(r#"{{"id":"{server}"}}"#);
                    world.0.lock().there.insert(thing.clone());
                    let text = format!(
                        r#"{{"content":[],"_meta":{{"compensation":{{"tool":"remove","arguments":{thing}}}}}}}"#
                    );
                    Ok(Reply::ok(RawJson::parse(text).unwrap()))
                }
                "long" => {
                    let name = "n".repeat(5000);
                    let text = format!(r#"{{"content":[],"_meta":{{"compensation":{{"tool":"{name}"}}}}}}"#);
                    Ok(Reply::ok(RawJson::parse(text).unwrap()))
                }
                "rant" => Ok(Reply::error(ErrorObject::new(-32000_i64, "no".repeat(5000)))),
                "sulk" => Ok(Reply::ok(RawJson::parse(r#"{"content":[],"isError":true}"#).unwrap())),
                "lose" => Ok(Reply::error(ErrorCode::Timeout.error_outcome_unknown("no answer"))),
                "hang" => std::future::pending().await,
                "slow" => {
                    until(|| world.0.lock().is_released).await;
                    Ok(Reply::error(ErrorObject::new(-32000_i64, "it is full")))
                }
                "other_task" => {
                    Ok(Reply::ok(RawJson::parse(r#"{"resultType":"task","taskId":"t-1"}"#).unwrap()))
                }
                "task" => {
                    Ok(Reply::ok(RawJson::parse(r#"{"task":{"taskId":"t-1","status":"working"}}"#).unwrap()))
                }
                "touch" => Ok(Reply::ok(RawJson::parse(r#"{"content":[]}"#).unwrap())),
                _ => Ok(Reply::error(ErrorObject::new(-32000_i64, "the channel is archived"))),
            }
        })
    }
}

pub(super) fn ann() -> Principal {
    Principal::agent("ann")
}

pub(super) fn settings() -> TransactionSettings {
    TransactionSettings {
        look: Duration::from_millis(20),
        open: 2,
        steps: 4,
        kept_each: 2,
        compensation_bytes: 4096,
        ..TransactionSettings::default()
    }
}

/// The transactions of one process over a world.
pub(super) struct Process {
    pub(super) transactions: Transactions,
    service: Steps<World>,
    /// The layers through which steps are undone. They hold the transactions, which hold them.
    layered: LayeredWorld,
}

impl Drop for Process {
    fn drop(&mut self) {
        *self.layered.0.lock() = None;
    }
}

impl Process {
    pub(super) fn over(store: Arc<dyn TransactionStore>, world: &World) -> Self {
        Self::with(store, settings(), world)
    }

    pub(super) fn with(
        store: Arc<dyn TransactionStore>,
        settings: TransactionSettings,
        world: &World,
    ) -> Self {
        let transactions = Transactions::new(store, settings);
        let layer = TransactionLayer::new(transactions.clone(), |_| DeclaredCompensations::default());
        Self { service: layer.layer(world.clone()), transactions, layered: LayeredWorld::default() }
    }

    /// Lets the process roll back, as once its servers are available.
    pub(super) fn start(self, world: &World) -> Self {
        self.transactions.start(Arc::new(world.clone()));
        self
    }

    /// Lets the process roll back by calls that go through the layers of keys and of transactions.
    pub(super) fn start_layered(self, keys: IdempotencySettings) -> Self {
        self.start_layered_over(Arc::new(SqlIdempotencyStore::in_memory()), keys)
    }

    /// Does so over a store of keys shared with other processes.
    pub(super) fn start_layered_over(
        self,
        store: Arc<dyn IdempotencyStore>,
        keys: IdempotencySettings,
    ) -> Self {
        let layer = IdempotencyLayer::new(store, keys);
        *self.layered.0.lock() = Some(layer.layer(self.service.clone()));
        self.transactions.start(Arc::new(self.layered.clone()));
        self
    }

    pub(super) fn in_memory(world: &World) -> Self {
        Self::over(Arc::new(SqlTransactionStore::in_memory()), world).start(world)
    }

    pub(super) fn in_memory_with(world: &World, settings: TransactionSettings) -> Self {
        Self::with(Arc::new(SqlTransactionStore::in_memory()), settings, world).start(world)
    }

    pub(super) fn on_disk(path: &Path, world: &World) -> Self {
        Self::over(Arc::new(open_file(path)), world)
    }

    pub(super) async fn begin(&self) -> TransactionReport {
        self.begin_with(None).await.unwrap()
    }

    pub(super) async fn begin_with(&self, timeout: Option<u64>) -> Result<TransactionReport, ErrorObject> {
        let params = BeginTransactionParams {
            transaction_id: "tx-1".into(),
            timeout_seconds: timeout,
            description: Some("a release".into()),
        };
        self.transactions.begin(&ann(), params).await
    }

    pub(super) fn starting(&self, server: &str, tool: &str) -> BoxFuture<'static, Result<Reply, BoxError>> {
        self.sending(Self::call(server, tool))
    }

    /// Returns a call of a server's tool as a step.
    pub(super) fn call(server: &str, tool: &str) -> TestCall {
        let mut call = TestCall::new(r#"{"name":"t","_meta":{"transaction_id":"tx-1"}}"#).principal("ann");
        Arc::make_mut(&mut call.call.target).tool = ToolId::new(server, tool);
        call
    }

    pub(super) fn sending(&self, call: TestCall) -> BoxFuture<'static, Result<Reply, BoxError>> {
        Box::pin(self.service.clone().oneshot(call.identified()))
    }

    pub(super) async fn step(&self, server: &str, tool: &str) -> Reply {
        within(self.starting(server, tool)).await.unwrap()
    }

    pub(super) async fn rollback(&self) -> TransactionReport {
        let params = RollbackTransactionParams { transaction_id: "tx-1".into(), reason: None };
        within(self.transactions.rollback(&ann(), params)).await.unwrap()
    }

    pub(super) async fn status(&self) -> TransactionReport {
        self.transactions.status(&ann(), "tx-1").await.unwrap()
    }

    /// Waits until the transaction has a step.
    pub(super) async fn until_it_has_a_step(&self) {
        until_some(async || self.status().await.steps.pop()).await;
    }

    /// Makes the last step of the transaction older, as if so many seconds had passed since.
    pub(super) async fn age(&self, seconds: i64) {
        let older = move |of: &mut Transaction| {
            of.active_at -= seconds * 1_000_000;
            Ok(())
        };
        let store = &self.transactions.0.store;
        let changed = store.update(&TransactionKey::new(&ann(), "tx-1"), Box::new(older)).await;
        changed.unwrap().unwrap().unwrap();
    }

    /// Waits until the transaction has ended.
    pub(super) async fn over_at_last(&self) -> TransactionReport {
        until_some(async || Some(self.status().await).filter(|report| report.status.is_over())).await
    }
}

/// Returns the state of a transaction and those of its steps, in one line.
pub(super) fn line(report: &TransactionReport) -> String {
    let steps: Vec<_> =
        report.steps.iter().map(|step| format!("{} {}", step.server_id, step.status)).collect();
    format!("{}: {}", report.status, steps.join(", "))
}

/// The events of transactions, in their order.
#[derive(Debug, Clone, Default)]
pub(super) struct HeardEvents(Arc<Mutex<Vec<String>>>);

impl HeardEvents {
    pub(super) fn lines(&self) -> Vec<String> {
        self.0.lock().clone()
    }
}

#[async_trait]
impl TransactionObserver for HeardEvents {
    async fn observe(&self, event: TransactionEvent, of: &Transaction, by: Option<&Principal>) {
        let by = by.map(|by| format!(" by {}", by.id())).unwrap_or_default();
        self.0.lock().push(format!("{event:?}{by}: {}", of.state));
    }
}
