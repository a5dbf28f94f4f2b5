//! §14.6 Tools that stand in for others whose calls failed.

use crate::{
    raw_host::As,
    raw_server::{RawServer, result},
    support::{Setup, pause_clock, rule, start, until, within},
};
use mgp_kernel::{Era, ServerSpec};
use mgp_security::profile::Confirmation;
use mgp_types::{
    access::{AccessDecision, DefaultPolicy},
    lifecycle::ServerState,
    tool_security::ValidatorName,
};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// The time limit of calls that nobody answers.
const SHORT: Duration = Duration::from_millis(200);

/// A server with the tools `work`, `spare` and `third`, and the names of those that were called.
struct Tools {
    server: RawServer,
    calls: Arc<Mutex<Vec<String>>>,
}

impl Tools {
    /// Creates a server whose calls are answered by `answer`: with a result, an error, or not at all if it is null.
    fn new(capabilities: Value, answer: impl Fn(&str) -> Value + Send + Sync + 'static) -> Self {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let called = calls.clone();
        let server = RawServer::new(Era::Initialize, capabilities, move |message| {
            match message["method"].as_str()? {
                "tools/list" => {
                    let tools = ["work", "spare", "third"].map(
                        |name| json!({"name": name, "description": name, "inputSchema": {"type": "object"}}),
                    );
                    Some(vec![result(message, json!({"tools": tools}))])
                }
                "tools/call" => {
                    let name = message["params"]["name"].as_str().unwrap().to_owned();
                    let answer = answer(&name);
                    called.lock().push(name);
                    Some(match answer {
                        Value::Null => Vec::new(),
                        error if error.get("code").is_some() => {
                            vec![json!({"jsonrpc": "2.0", "id": message["id"], "error": error})]
                        }
                        answer => vec![result(message, answer)],
                    })
                }
                _ => None,
            }
        });
        Self { server, calls }
    }

    fn spec(&self, id: &str) -> ServerSpec {
        let mut spec = self.server.spec(id);
        spec.default_policy = DefaultPolicy::OptOut;
        spec.confirmation = Some(Confirmation::Never);
        spec.validator = Some(ValidatorName::None);
        spec.retries.max_retries = 0;
        spec
    }

    fn calls(&self) -> Vec<String> {
        self.calls.lock().clone()
    }
}

fn mgp() -> Value {
    json!({"tools": {}, "mgp": {"version": "0.3.0", "extensions": ["error_handling"]}})
}

fn plain() -> Value {
    json!({"tools": {}})
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn gone() -> Value {
    json!({"code": 5002, "message": "the database is gone"})
}

/// Returns an error that names another tool.
fn try_instead(tool: &str) -> Value {
    json!({"code": 5002, "message": "the database is gone",
        "data": {"_mgp": {"category": "external", "retryable": false, "fallback_tool": tool}}})
}

/// Returns servers `main` and `backup`, and a kernel in which `spare` of the second stands in for `work` of the first.
async fn with_backup(
    answer: impl Fn(&str) -> Value + Send + Sync + 'static,
    change: impl FnOnce(&mut ServerSpec, &mut ServerSpec),
) -> (Setup, Tools, Tools) {
    let (main, backup) = (Tools::new(plain(), answer), Tools::new(plain(), |_| text("from the backup")));
    let (mut of_main, mut of_backup) = (main.spec("main"), backup.spec("backup"));
    of_main.fallbacks = BTreeMap::from([("work".to_owned(), "backup__spare".to_owned())]);
    change(&mut of_main, &mut of_backup);
    let setup = start(|kernel, _| kernel.server(of_main).server(of_backup)).await;
    (setup, main, backup)
}

async fn call(setup: &Setup, this: As, tool: &str) -> Value {
    let mut host = setup.raw_host(this).await;
    within(host.ask("tools/call", json!({"name": tool, "arguments": {"text": "rm -rf /"}}))).await
}

#[tokio::test]
async fn a_configured_fallback_answers_a_failed_call_and_is_named() {
    for this in [As::mgp(Era::Initialize), As::plain(Era::Initialize), As::plain(Era::Stateless)] {
        let (setup, main, backup) = with_backup(|_| gone(), |_, _| {}).await;
        let answer = call(&setup, this, "main__work").await;
        assert_eq!(answer["result"]["content"][0]["text"], "from the backup", "{answer}");
        let fallback = &answer["result"]["_meta"]["dev.cloto/result"]["fallback"];
        assert_eq!(fallback["reason"], "the database is gone", "{answer}");
        assert_eq!(fallback["tool"], "backup__spare", "{answer}");
        assert_eq!((main.calls(), backup.calls()), (vec!["work".to_owned()], vec!["spare".to_owned()]));
        let events = setup.calls_recorded(2).await;
        assert_eq!(events, ["TOOL_EXECUTED FAILURE main.work", "TOOL_EXECUTED SUCCESS backup.spare"]);
        let of = setup.sink.events().last().and_then(|event| event.details.as_ref()?.text("fallback_of"));
        assert_eq!(of.as_deref(), Some("main.work"));
    }
}

#[tokio::test]
async fn a_checkpoint_reaches_only_its_own_server() {
    let (setup, main, backup) = with_backup(|_| gone(), |_, _| {}).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let meta = json!({"dev.cloto/checkpoint": "sealed", "other": 1});
    let call = json!({"name": "main__work", "arguments": {"text": "a"}, "_meta": meta});
    let answer = within(host.ask("tools/call", call)).await;
    assert_eq!(answer["result"]["content"][0]["text"], "from the backup", "{answer}");
    let meta_of = |tools: &Tools| tools.server.read_of("tools/call")[0]["params"]["_meta"].clone();
    assert_eq!(meta_of(&main)["dev.cloto/checkpoint"], "sealed");
    let meta = meta_of(&backup);
    assert!(meta["dev.cloto/checkpoint"].is_null() && meta["other"] == 1, "{meta}");
}

#[tokio::test]
async fn a_session_s_state_reaches_only_its_own_server() {
    let meta = json!({"session_state": "mine", "other": 1});
    let call = |tool: &str| json!({"name": tool, "arguments": {"text": "a"}, "_meta": meta});
    let (setup, main, backup) = with_backup(|_| gone(), |_, _| {}).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let answer = within(host.ask("tools/call", call("main__work"))).await;
    assert_eq!(answer["result"]["content"][0]["text"], "from the backup", "{answer}");
    let meta_of =
        |tools: &Tools, call: usize| tools.server.read_of("tools/call")[call]["params"]["_meta"].clone();
    assert_eq!(meta_of(&main, 0)["session_state"], "mine");
    let meta = meta_of(&backup, 0);
    assert!(meta["session_state"].is_null() && meta["other"] == 1, "{meta}");
    // Another tool of the same server belongs to the same session of it.
    let tools = Tools::new(mgp(), |tool| if tool == "work" { try_instead("spare") } else { text("spare") });
    let spec = tools.spec("main");
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    within(host.ask("tools/call", call("work"))).await;
    assert_eq!(meta_of(&tools, 1)["session_state"], "mine");
}

#[tokio::test]
async fn the_fallback_call_has_the_intent_of_the_first() {
    let (setup, _, _) = with_backup(|_| gone(), |_, _| {}).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let meta = json!({"intent": "fetch the report"});
    let call = json!({"name": "main__work", "arguments": {"text": "a"}, "_meta": meta});
    within(host.ask("tools/call", call)).await;
    setup.calls_recorded(2).await;
    let events = setup.sink.events();
    let of = events.last().and_then(|event| event.details.as_ref()?.text("intent"));
    assert_eq!(of.as_deref(), Some("fetch the report"));
}

#[tokio::test]
async fn only_an_mgp_server_names_its_own_fallbacks() {
    let answers = |tool: &str| if tool == "work" { try_instead("spare") } else { text("from the spare") };
    for (capabilities, expected) in [(mgp(), &["work", "spare"][..]), (plain(), &["work"][..])] {
        let tools = Tools::new(capabilities, answers);
        let spec = tools.spec("main");
        let setup = start(|kernel, _| kernel.server(spec)).await;
        let answer = call(&setup, As::mgp(Era::Initialize), "work").await;
        assert_eq!(answer.get("result").is_some(), expected.len() == 2, "{answer}");
        assert_eq!(tools.calls(), expected);
    }
}

#[tokio::test]
async fn fallbacks_do_not_chain_and_their_failure_is_not_reported() {
    let tools = Tools::new(mgp(), |tool| match tool {
        "work" => try_instead("spare"),
        "spare" => try_instead("third"),
        _ => text("from the third"),
    });
    let spec = tools.spec("main");
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let refused = call(&setup, As::mgp(Era::Initialize), "work").await;
    assert_eq!(refused["error"]["code"], 5002, "{refused}");
    assert!(!refused.to_string().contains("fallback_tool"), "{refused}");
    assert_eq!(tools.calls(), ["work", "spare"]);
}

#[tokio::test]
async fn a_call_that_may_have_run_falls_back_only_if_repeatable() {
    for may_run_twice in [false, true] {
        let change = |spec: &mut ServerSpec, _: &mut ServerSpec| {
            spec.idempotent = if may_run_twice { vec!["work".to_owned()] } else { Vec::new() };
            spec.call_timeout = SHORT;
        };
        let (setup, main, backup) = with_backup(|_| Value::Null, change).await;
        let _paused = pause_clock();
        let answer = call(&setup, As::mgp(Era::Initialize), "main__work").await;
        if may_run_twice {
            assert_eq!(answer["result"]["content"][0]["text"], "from the backup", "{answer}");
        } else {
            let advice = &answer["error"]["data"]["_mgp"];
            assert_eq!(advice["details"]["outcome"], "unknown", "{answer}");
            assert_eq!(advice["fallback_tool"], "backup__spare", "{answer}");
        }
        assert_eq!((main.calls().len(), backup.calls().len()), (1, usize::from(may_run_twice)));
    }
}

#[tokio::test]
async fn a_call_with_a_key_falls_back_only_if_repeatable() {
    for may_run_twice in [false, true] {
        let change = |spec: &mut ServerSpec, _: &mut ServerSpec| {
            spec.idempotent = if may_run_twice { vec!["work".to_owned()] } else { Vec::new() };
        };
        let (setup, _, backup) = with_backup(|_| gone(), change).await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        let keyed = json!({"name": "main__work", "arguments": {}, "_meta": {"idempotency_key": "op-1"}});
        let answer = within(host.ask("tools/call", keyed)).await;
        if may_run_twice {
            assert_eq!(answer["result"]["content"][0]["text"], "from the backup", "{answer}");
        } else {
            assert_eq!(answer["error"]["message"], "the database is gone", "{answer}");
            assert_eq!(answer["error"]["data"]["_mgp"]["fallback_tool"], "backup__spare", "{answer}");
        }
        assert_eq!(backup.calls().len(), usize::from(may_run_twice));
    }
}

#[tokio::test]
async fn errors_of_the_caller_lead_to_no_fallback() {
    for code in [4000, 1010, -32602] {
        let refusal = move |_: &str| json!({"code": code, "message": "wrong"});
        let (setup, _, backup) = with_backup(refusal, |_, _| {}).await;
        let refused = call(&setup, As::mgp(Era::Initialize), "main__work").await;
        assert_eq!(refused["error"]["code"], code, "{refused}");
        assert_eq!(backup.calls(), [""; 0], "{code}");
    }
}

#[tokio::test]
async fn a_fallback_that_the_caller_may_not_see_is_concealed() {
    let (setup, _, backup) = with_backup(|_| Value::Null, |main, _| main.call_timeout = SHORT).await;
    setup.kernel.access().put(rule("backup", Some("spare"), AccessDecision::Deny)).await.unwrap();
    let _paused = pause_clock();
    let refused = call(&setup, As::mgp(Era::Initialize), "main__work").await;
    assert_eq!(refused["error"]["code"], 3003, "{refused}");
    assert!(!refused.to_string().contains("spare"), "{refused}");
    assert_eq!(backup.calls(), [""; 0]);
    assert_eq!(setup.calls_recorded(1).await, ["TOOL_EXECUTED FAILURE main.work"]);
}

#[tokio::test]
async fn the_fallback_call_passes_every_gate() {
    let validates = |_: &mut ServerSpec, backup: &mut ServerSpec| {
        backup.validators.insert("spare".to_owned(), ValidatorName::Sandbox);
    };
    let (setup, _, backup) = with_backup(|_| gone(), validates).await;
    let refused = call(&setup, As::mgp(Era::Initialize), "main__work").await;
    assert_eq!(refused["error"]["code"], 5002, "{refused}");
    assert_eq!(backup.calls(), [""; 0], "its validator refuses the arguments");
    let events = setup.calls_recorded(2).await;
    assert_eq!(events, ["TOOL_EXECUTED FAILURE main.work", "VALIDATION_FAILED BLOCKED backup.spare"]);
}

#[tokio::test]
async fn a_call_to_a_server_that_is_down_uses_the_fallback() {
    let (setup, main, backup) = with_backup(|_| gone(), |_, _| {}).await;
    let servers = setup.kernel.servers();
    let server = servers.iter().find(|server| server.id() == "main").unwrap();
    main.server.hang_up();
    until(|| server.status().state != ServerState::Connected).await;
    let answer = call(&setup, As::mgp(Era::Initialize), "main__work").await;
    assert_eq!(answer["result"]["content"][0]["text"], "from the backup", "{answer}");
    assert_eq!((main.calls().len(), backup.calls().len()), (0, 1));
}

#[tokio::test]
async fn a_call_is_not_repeated_after_its_fallback_reached_a_server() {
    // The first is refused before it is sent, and could be made again.
    let backup = Tools::new(plain(), |_| Value::Null);
    let main = Tools::new(plain(), |_| Value::Null);
    let (mut of_main, mut of_backup) = (main.spec("main"), backup.spec("backup"));
    (of_main.call_timeout, of_backup.call_timeout) = (SHORT, SHORT);
    of_main.fallbacks = BTreeMap::from([("work".to_owned(), "backup__spare".to_owned())]);
    of_main.breaker.failures = 1;
    let setup = start(|kernel, _| kernel.server(of_main).server(of_backup)).await;
    let _paused = pause_clock();
    call(&setup, As::mgp(Era::Initialize), "main__third").await;
    let refused = call(&setup, As::mgp(Era::Initialize), "main__work").await;
    assert_eq!(refused["error"]["code"], 2000, "{refused}");
    let advice = &refused["error"]["data"]["_mgp"];
    assert_eq!((&advice["retryable"], &advice["details"]["outcome"]), (&json!(false), &json!("unknown")));
    assert_eq!((main.calls(), backup.calls()), (vec!["third".to_owned()], vec!["spare".to_owned()]));
}
