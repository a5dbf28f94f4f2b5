//! Transactions over servers that know nothing of them.

use crate::{
    raw_host::{As, RawHost},
    raw_server::{RawServer, error, result, text},
    support::{agent_test, ready, rule, start, within},
};
use mgp_kernel::{Era, Kernel, KernelBuilder, ServerSpec};
use mgp_types::access::AccessDecision;
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A server whose tool `make` makes a thing, and whose answer says that `remove` removes it.
fn maker(breaks: &Arc<AtomicBool>) -> RawServer {
    let breaks = breaks.clone();
    RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        // Without the hint, the name of `remove` would have its calls asked about.
        let hints = json!({"destructiveHint": false});
        let tool = |name| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": hints});
        match (message["method"].as_str()?, message["params"]["name"].as_str()) {
            ("tools/list", _) => {
                Some(vec![result(message, json!({"tools": [tool("make"), tool("remove")]}))])
            }
            ("tools/call", Some("make")) => {
                let undo = json!({"tool": "remove", "arguments": {"id": 7}});
                let made =
                    json!({"content": [{"type": "text", "text": "made 7"}], "_meta": {"compensation": undo}});
                Some(vec![result(message, made)])
            }
            ("tools/call", Some("remove")) if breaks.load(Ordering::SeqCst) => {
                Some(vec![error(message, -32000, "the API is down")])
            }
            ("tools/call", Some("remove")) => Some(vec![text(message, "removed")]),
            _ => None,
        }
    })
}

/// A server whose tool always fails.
fn archived() -> RawServer {
    RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let failed = || json!({"content": [{"type": "text", "text": "archived"}], "isError": true});
        (message["method"] == "tools/call").then(|| vec![result(message, failed())])
    })
}

fn spec(server: &RawServer, id: &str) -> ServerSpec {
    let mut spec = server.spec(id);
    spec.confirmation = Some(mgp_security::profile::Confirmation::Never);
    spec
}

fn step(tool: &str) -> Value {
    json!({"name": tool, "arguments": {"title": "x"}, "_meta": {"transaction_id": "tx-1"}})
}

fn calls(server: &RawServer) -> Vec<String> {
    let called = server.read_of("tools/call");
    called
        .iter()
        .map(|call| format!("{} {}", call["params"]["name"].as_str().unwrap(), call["params"]["arguments"]))
        .collect()
}

async fn saga(host: &mut RawHost) {
    let begun = json!({"transaction_id": "tx-1", "timeout_seconds": 300, "description": "a release"});
    assert_eq!(host.get("mgp/transaction/begin", begun).await["status"], "active");
    let made = host.get("tools/call", step("jira__make")).await;
    assert_eq!(made["_meta"]["step_id"], "step-1", "{made}");
    assert_eq!(made["_meta"]["compensation"]["tool"], "remove", "{made}");
    host.get("tools/call", step("wiki__make")).await;
    assert_eq!(host.get("tools/call", step("chat__work")).await["isError"], true);
}

fn states(report: &Value) -> Vec<String> {
    report["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["status"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_saga_over_three_servers_is_undone_if_its_third_step_fails() {
    let (jira, wiki, chat) = (maker(&Arc::default()), maker(&Arc::default()), archived());
    let servers = |kernel: KernelBuilder| {
        kernel.server(spec(&jira, "jira")).server(spec(&wiki, "wiki")).server(spec(&chat, "chat"))
    };
    let setup = start(|kernel, _| servers(kernel)).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    saga(&mut host).await;
    let report = host
        .get("transaction/rollback", json!({"transaction_id": "tx-1", "reason": "chat is archived"}))
        .await;
    assert_eq!(report["status"], "rolled_back", "{report}");
    assert_eq!(states(&report), ["compensated", "compensated", "failed"]);
    let compensated = &report["steps_compensated"];
    assert_eq!(compensated[0], json!({"step_id": "step-2", "status": "compensated"}), "{report}");
    assert_eq!(compensated[1], json!({"step_id": "step-1", "status": "compensated"}), "{report}");
    for server in [&jira, &wiki] {
        assert_eq!(calls(server), [r#"make {"title":"x"}"#, r#"remove {"id":7}"#]);
        assert!(!server.read_of("tools/call")[0].to_string().contains("tx-1"), "it is the kernel's");
    }
    let recorded = setup.calls_recorded(5).await;
    assert_eq!(recorded[3..], ["TOOL_EXECUTED SUCCESS wiki.remove", "TOOL_EXECUTED SUCCESS jira.remove"]);
    // Others know nothing of it.
    let mut other = setup.raw_host(As::mgp(Era::Initialize).of("agent.other")).await;
    let unknown = other.refused("mgp/transaction/status", json!({"transaction_id": "tx-1"})).await;
    assert_eq!(unknown["code"], 4004, "{unknown}");
}

#[tokio::test]
async fn a_failed_or_forbidden_compensation_can_be_repeated() {
    let broken = Arc::new(AtomicBool::new(true));
    let (jira, wiki, chat) = (maker(&Arc::default()), maker(&broken), archived());
    let setup = start(|kernel, _| {
        kernel.server(spec(&jira, "jira")).server(spec(&wiki, "wiki")).server(spec(&chat, "chat"))
    })
    .await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    saga(&mut host).await;
    setup.kernel.access().put(rule("jira", Some("remove"), AccessDecision::Deny)).await.unwrap();
    let rollback = json!({"transaction_id": "tx-1"});
    let report = host.get("mgp/transaction/rollback", rollback.clone()).await;
    assert_eq!(report["status"], "partially_rolled_back", "{report}");
    assert_eq!(states(&report), ["compensation_failed", "compensation_failed", "failed"]);
    let why = |report: &Value, at: usize| {
        report["steps_compensated"][at]["error"]["message"].as_str().unwrap().to_owned()
    };
    assert!(why(&report, 0).contains("the API is down"), "{report}");
    // It is answered like a tool that does not exist, because the caller is shown no tool that it may not call.
    assert!(why(&report, 1).contains("unknown tool"), "{report}");
    broken.store(false, Ordering::SeqCst);
    setup.kernel.access().put(rule("jira", Some("remove"), AccessDecision::Allow)).await.unwrap();
    let report = host.get("mgp/transaction/rollback", rollback).await;
    assert_eq!(
        (&report["status"], states(&report).join(" ")),
        (&json!("rolled_back"), "compensated compensated failed".to_owned())
    );
}

#[tokio::test]
async fn a_plain_host_gets_transactions_as_a_tool_if_configured() {
    for on in [false, true] {
        let jira = maker(&Arc::default());
        let setup = start(|kernel, _| {
            kernel.server(spec(&jira, "jira")).config(|config| config.kernel.transactions = on)
        })
        .await;
        let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
        let listed = host.get("tools/list", json!({})).await.to_string();
        assert_eq!(listed.contains("mgp_transaction"), on, "{listed}");
        let call = |action: &str| json!({"name": "mgp_transaction", "arguments": {"action": action, "transaction_id": "tx-1"}});
        let begun = host.get("tools/call", call("begin")).await;
        assert_eq!(begun["isError"] == true, !on, "{begun}");
        if !on {
            continue;
        }
        let step =
            json!({"name": "jira__make", "arguments": {}, "transaction_id": "tx-1", "step_id": "ticket"});
        host.get("tools/call", json!({"name": "mgp_tools_call", "arguments": step})).await;
        let report = host.get("tools/call", call("rollback")).await["structuredContent"].clone();
        assert_eq!(
            (&report["status"], &report["steps"][0]["step_id"]),
            (&json!("rolled_back"), &json!("ticket"))
        );
        assert_eq!(calls(&jira).len(), 2);
    }
}

#[tokio::test]
async fn the_operator_defines_a_tool_s_compensation_or_the_tool_does() {
    let undo = json!({"tool": "unwork", "arguments": {"id": "$result/id", "to": "$arguments/title"}});
    let server = RawServer::new(
        Era::Initialize,
        json!({"tools": {}}),
        move |message| match message["method"].as_str()? {
            "tools/list" => {
                let schema = json!({"type": "object"});
                let tools = json!([
                    {"name": "work", "inputSchema": schema, "_meta": {"dev.cloto/tool": {"compensation": undo}}},
                    {"name": "unwork", "inputSchema": schema}
                ]);
                Some(vec![result(message, json!({"tools": tools}))])
            }
            "tools/call" => {
                Some(vec![result(message, json!({"content": [], "structuredContent": {"id": 9}}))])
            }
            _ => None,
        },
    );
    for configured in [false, true] {
        let setup = start(|kernel, _| {
            let mut spec = spec(&server, "srv");
            if configured {
                let arguments = mgp_types::json::RawJson::parse(r#"{"by":"the operator"}"#).unwrap();
                let undo = mgp_types::transaction::Compensation::new("unwork").arguments(arguments);
                spec.compensations =
                    [("work".to_owned(), mgp_lifecycle::transaction::CompensationTemplate(undo))].into();
            }
            kernel.server(spec)
        })
        .await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        host.get("transaction/begin", json!({"transaction_id": "tx-1"})).await;
        host.get("tools/call", step("work")).await;
        let report = host.get("mgp/transaction/rollback", json!({"transaction_id": "tx-1"})).await;
        assert_eq!(report["status"], "rolled_back", "{report}");
        let last = calls(&server).pop().unwrap();
        let expected =
            if configured { r#"unwork {"by":"the operator"}"# } else { r#"unwork {"id":9,"to":"x"}"# };
        assert_eq!(last, expected);
    }
}

#[tokio::test]
async fn a_rollback_continues_in_the_next_kernel_on_the_state_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (jira, wiki, chat) = (maker(&Arc::default()), maker(&Arc::default()), archived());
    let kernel = async || -> Kernel {
        let state = crate::engine::state(folder.path()).await;
        let builder = Kernel::builder().config(agent_test).stores(state.stores().await.unwrap());
        let builder =
            builder.server(spec(&jira, "jira")).server(spec(&wiki, "wiki")).server(spec(&chat, "chat"));
        let kernel = builder.start().await.unwrap();
        ready(&kernel).await;
        kernel
    };
    let first = kernel().await;
    let mut host = RawHost::connect(&first, As::mgp(Era::Initialize)).await;
    saga(&mut host).await;
    within(first.shutdown()).await;
    drop((host, first));
    let next = kernel().await;
    let mut host = RawHost::connect(&next, As::mgp(Era::Initialize)).await;
    let status = host.get("mgp/transaction/status", json!({"transaction_id": "tx-1"})).await;
    assert_eq!((&status["status"], states(&status).join(" ")), (&json!("active"), "ok ok failed".to_owned()));
    let report = host.get("mgp/transaction/rollback", json!({"transaction_id": "tx-1"})).await;
    assert_eq!(report["status"], "rolled_back", "{report}");
}

#[tokio::test]
async fn a_transaction_s_outcome_is_recorded_once_before_the_answer() {
    let broken = Arc::new(AtomicBool::new(true));
    let jira = maker(&broken);
    let setup = start(|kernel, _| kernel.server(spec(&jira, "jira"))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let recorded = || -> Vec<String> {
        let events = setup.sink.events();
        let of_transactions = events.iter().filter_map(|event| {
            let kind = event.event_type.as_str().strip_prefix("dev.cloto.mgp.TRANSACTION_")?;
            let details = event.details.as_ref()?;
            assert_eq!(details.text("agent_id").as_deref(), Some("agent.test"));
            let left = details.get("not_undone").map(ToString::to_string).unwrap_or_default();
            Some(format!("{} {kind} {} {left}", event.actor.id, event.result).trim_end().to_owned())
        });
        of_transactions.collect()
    };
    let asked = [
        ("begin", vec!["agent.test BEGUN SUCCESS"]),
        ("rollback", vec!["agent.test ROLLBACK_BEGUN SUCCESS", r#"kernel ROLLED_BACK FAILURE ["step-1"]"#]),
        ("rollback", vec!["agent.test ROLLBACK_BEGUN SUCCESS", "kernel ROLLED_BACK SUCCESS"]),
        ("rollback", vec![]),
        ("status", vec![]),
    ];
    let mut before = 0;
    for (at, (action, expected)) in asked.into_iter().enumerate() {
        if at == 1 {
            host.get("tools/call", step("jira__make")).await;
        }
        host.get(&format!("mgp/transaction/{action}"), json!({"transaction_id": "tx-1"})).await;
        assert_eq!(recorded()[before..], expected, "{at}");
        before += expected.len();
        broken.store(at == 0, Ordering::SeqCst);
    }
    host.get("mgp/transaction/begin", json!({"transaction_id": "tx-2"})).await;
    for _ in 0..2 {
        host.get("mgp/transaction/commit", json!({"transaction_id": "tx-2"})).await;
    }
    assert_eq!(recorded()[before..], ["agent.test BEGUN SUCCESS", "agent.test COMMITTED SUCCESS"]);
}
