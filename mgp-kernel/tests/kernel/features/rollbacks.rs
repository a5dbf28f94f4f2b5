//! Rollbacks that limits, the form of refusals, confirmations and other servers must not turn into something untrue.

use crate::{
    features::compensations::{called, made, server},
    raw_host::{As, RawHost, all},
    raw_server::{RawServer, result, text},
    support::{START_LIMIT_MS, start, until_some},
};
use mgp_discovery::config::{Config, RefusalForm};
use mgp_kernel::{Endpoint, Era, Kernel, KernelBuilder, ServerSpec, Stores};
use mgp_lifecycle::transaction::{SqlTransactionStore, TransactionKey, TransactionStore};
use mgp_security::profile::Confirmation;
use mgp_types::{
    context::Principal,
    transaction::{StepState, TransactionState},
};
use serde_json::{Value, json};
use std::sync::Arc;

fn maker() -> RawServer {
    server(&["make", "remove"], made(), false)
}

fn spec(server: &RawServer) -> ServerSpec {
    let mut spec = server.spec("jira");
    spec.confirmation = Some(Confirmation::Never);
    spec
}

async fn begin(host: &mut RawHost, timeout_seconds: u64) {
    let begun = json!({"transaction_id": "tx-1", "timeout_seconds": timeout_seconds});
    host.get("mgp/transaction/begin", begun).await;
}

async fn step(host: &mut RawHost) {
    host.get("tools/call", call()).await;
}

fn call() -> Value {
    json!({"name": "jira__make", "arguments": {}, "_meta": {"transaction_id": "tx-1"}})
}

async fn rollback(host: &mut RawHost) -> Value {
    host.get("mgp/transaction/rollback", json!({"transaction_id": "tx-1"})).await
}

/// Returns the states of a transaction and of its steps.
fn line(report: &Value) -> String {
    let steps = report["steps"].as_array().unwrap().iter().map(|step| step["status"].as_str().unwrap());
    let steps: Vec<_> = steps.collect();
    format!("{}: {}", report["status"].as_str().unwrap(), steps.join(" "))
}

#[tokio::test]
async fn a_caller_with_used_up_limits_can_be_rolled_back() {
    for (limit, code) in [
        ("[limits.agents.\"*\"]\nrequests_per_minute = 2", 3000),
        ("[limits.servers.\"*\"]\nrequests_per_minute = 2", 3000),
        ("[limits.agents.\"*\"]\nunits_per_day = 2", 3002),
    ] {
        let configured = Config::parse("mgp.toml".as_ref(), limit.as_bytes(), &|_| None).unwrap();
        let jira = maker();
        let setup = start(|kernel, _| kernel.configure(&configured).unwrap().server(spec(&jira))).await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        begin(&mut host, 300).await;
        for _ in 0..2 {
            step(&mut host).await;
        }
        assert_eq!(host.refused("tools/call", call()).await["code"], code, "{limit}");
        let report = rollback(&mut host).await;
        assert_eq!(report["status"], "rolled_back", "{limit}: {report}");
        assert_eq!(called(&jira), ["make", "make", "remove", "remove"], "{limit}");
    }
}

/// A store of transactions that several kernels of a test share.
fn store(folder: &tempfile::TempDir) -> SqlTransactionStore {
    SqlTransactionStore::open(folder.path().join("tx.sqlite3")).unwrap()
}

/// Returns stores in memory, except that of transactions.
fn stores(store: &SqlTransactionStore) -> Stores {
    Stores { transactions: Arc::new(store.clone()), ..Stores::default() }
}

async fn kernel(
    store: &SqlTransactionStore,
    build: impl FnOnce(KernelBuilder) -> KernelBuilder,
) -> (Kernel, RawHost) {
    let builder = Kernel::builder().config(|config| {
        config.kernel.agent = "agent.test".into();
        config.kernel.start_wait_ms = START_LIMIT_MS;
    });
    let builder = builder.stores(stores(store));
    let kernel = build(builder).start().await.unwrap();
    let host = RawHost::connect(&kernel, As::mgp(Era::Initialize)).await;
    (kernel, host)
}

#[tokio::test]
async fn a_compensation_is_not_repeated_if_refusals_are_results() {
    for form in [RefusalForm::Error, RefusalForm::Result] {
        let (jira, folder) = (maker(), tempfile::tempdir().unwrap());
        let store = store(&folder);
        let (_kernel, mut host) = kernel(&store, |kernel| {
            kernel.config(|config| config.kernel.refusals = form).server(spec(&jira))
        })
        .await;
        begin(&mut host, 300).await;
        step(&mut host).await;
        // As a kernel leaves it that was killed, once the key of the call is forgotten.
        let key = TransactionKey::new(&Principal::agent("agent.test"), "tx-1");
        let sent = Box::new(|of: &mut mgp_lifecycle::transaction::Transaction| {
            of.state = TransactionState::RollingBack;
            (of.steps[0].state, of.steps[0].is_sent) = (StepState::Compensating, true);
            Ok(())
        });
        store.update(&key, sent).await.unwrap().unwrap().unwrap();
        for _ in 0..2 {
            let report = rollback(&mut host).await;
            assert_eq!(line(&report), "partially_rolled_back: compensation_failed", "{form:?}: {report}");
            let error = report["steps"][0]["error"]["message"].as_str().unwrap();
            assert!(error.starts_with("it may have been undone: "), "{form:?}: {error}");
        }
        assert_eq!(called(&jira), ["make"], "{form:?}");
    }
}

#[tokio::test]
async fn a_refused_compensation_is_retried_if_refusals_are_results() {
    for form in [RefusalForm::Error, RefusalForm::Result] {
        let jira = maker();
        let setup = start(|kernel, _| {
            kernel.server(spec(&jira)).config(|config| {
                config.kernel.refusals = form;
                config.idempotency.max_keys = 1;
            })
        })
        .await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        begin(&mut host, 300).await;
        for _ in 0..2 {
            step(&mut host).await;
        }
        // Together with the key of the first call that undoes a step, it leaves no room for that of the second, until it is over.
        let meta = json!({"idempotency_key": "k", "idempotency_ttl_seconds": 1});
        host.get("tools/call", json!({"name": "jira__make", "arguments": {}, "_meta": meta})).await;
        let report = rollback(&mut host).await;
        assert_eq!(line(&report), "rolled_back: compensated compensated", "{form:?}: {report}");
    }
}

#[tokio::test]
async fn a_server_of_the_same_name_at_another_endpoint_undoes_no_step() {
    let (jira, folder) = (maker(), tempfile::tempdir().unwrap());
    let store = store(&folder);
    let (first, mut host) = kernel(&store, |kernel| kernel.server(spec(&jira))).await;
    begin(&mut host, 300).await;
    step(&mut host).await;
    crate::support::within(first.shutdown()).await;
    let elsewhere = |kernel: KernelBuilder| {
        let mut spec = spec(&jira);
        let url = "http://127.0.0.1:9/mcp".to_owned();
        spec.endpoint = Endpoint::Http { url, config: Default::default() };
        kernel.server(spec)
    };
    let (second, mut host) = kernel(&store, elsewhere).await;
    let report = rollback(&mut host).await;
    assert_eq!(line(&report), "partially_rolled_back: compensation_failed", "{report}");
    let error = report["steps"][0]["error"]["message"].as_str().unwrap();
    assert!(error.contains("another command or URL"), "{error}");
    second.shutdown().await;
    // Where it is the same server, it can.
    let (_third, mut host) = kernel(&store, |kernel| kernel.server(spec(&jira))).await;
    assert_eq!(line(&rollback(&mut host).await), "rolled_back: compensated");
    assert_eq!(called(&jira), ["make", "remove"]);
}

/// A server whose tool `remove` is dangerous.
fn careful() -> RawServer {
    RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        match (message["method"].as_str()?, message["params"]["name"].as_str()) {
            ("tools/list", _) => {
                let tool = |name: &str, safe: bool| {
                    let annotations = json!({"readOnlyHint": safe, "destructiveHint": !safe});
                    json!({"name": name, "inputSchema": {"type": "object"}, "annotations": annotations})
                };
                Some(vec![result(message, json!({"tools": [tool("make", true), tool("remove", false)]}))])
            }
            ("tools/call", Some("make")) => Some(vec![result(message, made())]),
            ("tools/call", _) => Some(vec![text(message, "removed")]),
            _ => None,
        }
    })
}

fn careful_spec(server: &RawServer) -> ServerSpec {
    let mut spec = server.spec("jira");
    spec.trust = mgp_types::context::TrustLevel::Trusted;
    spec
}

#[tokio::test]
async fn a_dangerous_compensation_is_confirmed_by_the_requesting_host() {
    let jira = careful();
    let setup = start(|kernel, _| kernel.server(careful_spec(&jira))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize).can(all())).await;
    begin(&mut host, 300).await;
    step(&mut host).await;
    assert_eq!(host.asked.len(), 0, "{:?}", host.asked);
    assert_eq!(line(&rollback(&mut host).await), "rolled_back: compensated");
    assert_eq!(host.asked.len(), 1, "{:?}", host.asked);
    assert!(host.asked[0].1["message"].as_str().unwrap().contains("jira__remove"), "{:?}", host.asked);
    assert_eq!(called(&jira), ["make", "remove"]);
}

#[tokio::test]
async fn a_dangerous_compensation_without_a_request_is_refused() {
    let (jira, folder) = (careful(), tempfile::tempdir().unwrap());
    let store = store(&folder);
    let setup = start(|kernel, _| kernel.stores(stores(&store)).server(careful_spec(&jira))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize).can(all())).await;
    begin(&mut host, 300).await;
    step(&mut host).await;
    // As if nothing had happened in it for longer than its time limit.
    let key = TransactionKey::new(&Principal::agent("agent.test"), "tx-1");
    let idle = Box::new(|of: &mut mgp_lifecycle::transaction::Transaction| {
        of.active_at -= 400_000_000;
        Ok(())
    });
    store.update(&key, idle).await.unwrap().unwrap().unwrap();
    let report = until_some(async || {
        let report = host.get("mgp/transaction/status", json!({"transaction_id": "tx-1"})).await;
        (report["status"] == "partially_rolled_back").then_some(report)
    })
    .await;
    let error = report["steps"][0]["error"]["message"].as_str().unwrap();
    assert_eq!(line(&report), "partially_rolled_back: compensation_failed");
    let open = setup.kernel.confirmations().pending().await.unwrap();
    assert!(error.contains(&format!("mgp approve {}", open[0].id)), "{error}");
    assert_eq!((host.asked.len(), called(&jira)), (0, vec!["make".to_owned()]));
}
