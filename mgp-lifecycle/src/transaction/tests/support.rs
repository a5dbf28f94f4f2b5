//! Servers whose tools make and remove things, and transactions over them.

use crate::transaction::{
    CompensationCall, CompensationEnd, Compensator, DeclaredCompensations, MemoryTransactionStore,
    SqliteTransactionStore, Transaction, TransactionEvent, TransactionLayer, TransactionObserver,
    TransactionSettings, TransactionStore, Transactions,
};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use mgp_transport::seam::{BoxError, Reply, ToolCall};
use mgp_types::{
    context::{Principal, ToolId},
    error::ErrorCode,
    json::RawJson,
    rpc::ErrorObject,
    transaction::{BeginTransactionParams, RollbackTransactionParams, TransactionReport},
};
use parking_lot::Mutex;
use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tower::{Layer, Service, ServiceExt};
use xtask_testing::{TestCall, within};

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
    /// The servers whose removals are made, and whose answers are lost.
    pub(super) losing: HashSet<String>,
    /// The number of removals that are not sent before one is.
    pub(super) unsent: usize,
    /// The removals after which the process is gone, so that nobody learns of them.
    pub(super) crash_after: Option<usize>,
}

impl World {
    pub(super) fn there(&self) -> Vec<String> {
        self.0.lock().there.iter().cloned().collect()
    }

    pub(super) fn removed(&self) -> Vec<String> {
        self.0.lock().removed.clone()
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
    service: crate::transaction::Steps<World>,
}

impl Process {
    pub(super) fn over(store: Arc<dyn TransactionStore>, world: &World) -> Self {
        Self::with(store, settings(), world)
    }

    fn with(store: Arc<dyn TransactionStore>, settings: TransactionSettings, world: &World) -> Self {
        let transactions = Transactions::new(store, settings);
        let layer = TransactionLayer::new(transactions.clone(), |_| DeclaredCompensations::default());
        Self { service: layer.layer(world.clone()), transactions }
    }

    /// Lets the process roll back, as from the moment at which its servers are there.
    pub(super) fn start(self, world: &World) -> Self {
        self.transactions.start(Arc::new(world.clone()));
        self
    }

    pub(super) fn in_memory(world: &World) -> Self {
        Self::over(Arc::new(MemoryTransactionStore::new()), world).start(world)
    }

    pub(super) fn in_memory_with(world: &World, settings: TransactionSettings) -> Self {
        Self::with(Arc::new(MemoryTransactionStore::new()), settings, world).start(world)
    }

    pub(super) fn on_disk(path: &std::path::Path, world: &World) -> Self {
        Self::over(Arc::new(SqliteTransactionStore::open(path).unwrap()), world)
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
        call.call.target.tool = ToolId::new(server, tool);
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

    /// Waits until the transaction is over.
    pub(super) async fn over_at_last(&self) -> TransactionReport {
        within(async {
            loop {
                let report = self.status().await;
                if report.status.is_over() {
                    return report;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await
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
