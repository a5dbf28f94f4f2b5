//! Results that the kernel keeps, and that hosts pass on by reference.

use crate::{
    raw_host::{As, RawHost},
    raw_server::{RawServer, result, text},
    support::{Setup, agents, jump, spec, start},
};
use mgp_discovery::config::ReferencesConfig;
use mgp_kernel::{Era, KernelBuilder};
use mgp_security::{
    permission::{ApprovalTerm, Deny},
    profile::Confirmation,
};
use mgp_types::{context::Principal, reference::DataReference};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::time::Duration;

/// Returns a server that makes texts and structured content, and takes everything.
fn server() -> RawServer {
    RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let (params, arguments) = (&message["params"], &message["params"]["arguments"]);
        let answer = match (message["method"].as_str()?, params["name"].as_str()) {
            ("tools/list", _) => {
                let tool = |name: &str, properties: Value| {
                    json!({"name": name, "description": format!("The tool {name}."),
                        "inputSchema": {"type": "object", "properties": properties}})
                };
                let mut checked = tool("checked", json!({}));
                checked["outputSchema"] = json!({"type": "object"});
                let tools = [
                    tool("make", json!({"text": {"type": "string"}, "times": {"type": "integer"}})),
                    tool("rows", json!({})),
                    tool("fail", json!({})),
                    tool("stateful", json!({})),
                    tool("echo", json!({"result": {"type": "object"}})),
                    tool("take", json!({"data": {}})),
                    tool("run_shell", json!({"command": {"type": "string"}})),
                    checked,
                ];
                result(message, json!({"tools": tools}))
            }
            ("tools/call", Some("make")) => {
                let times = usize::try_from(arguments["times"].as_u64().unwrap_or(1)).unwrap();
                text(message, &arguments["text"].as_str()?.repeat(times))
            }
            ("tools/call", Some("rows" | "checked")) => result(
                message,
                json!({"content": [{"type": "text", "text": "two rows ".repeat(500)}], "structuredContent": {"rows": [{"n": 1}, {"n": [2]}]}}),
            ),
            ("tools/call", Some("echo")) => result(message, arguments["result"].clone()),
            ("tools/call", Some("stateful")) => result(
                message,
                json!({"content": [{"type": "text", "text": "data"}], "_meta": {"session_state": "s".repeat(4000),
                    "dev.cloto/result": {"status": "success", "explanation": "e".repeat(2000)}, "other": "o".repeat(2000)}}),
            ),
            ("tools/call", Some("fail")) => result(
                message,
                json!({"content": [{"type": "text", "text": "it broke ".repeat(500)}], "isError": true}),
            ),
            ("tools/call", _) => text(message, "taken"),
            _ => return None,
        };
        Some(vec![answer])
    })
}

pub(crate) async fn kernel_with(build: impl FnOnce(KernelBuilder) -> KernelBuilder) -> (Setup, RawServer) {
    let server = server();
    let spec = server.spec("crm");
    (start(|kernel, _| build(kernel.server(spec))).await, server)
}

pub(crate) async fn host(setup: &Setup, agent: &str) -> RawHost {
    setup.raw_host(As::plain(Era::Initialize).of(agent)).await
}

pub(crate) fn make(content: &str, times: usize) -> Value {
    json!({"name": "make", "arguments": {"text": content, "times": times}, "_meta": {"dev.cloto/call": {"keep_result": true}}})
}

pub(crate) fn take(refs: Value) -> Value {
    json!({"name": "take", "arguments": {"kind": "csv"}, "_meta": {"dev.cloto/call": {"refs": refs}}})
}

pub(crate) fn reference_of(answer: &Value) -> DataReference {
    serde_json::from_value(answer["_meta"]["dev.cloto/reference"].clone())
        .unwrap_or_else(|_| panic!("{answer}"))
}

pub(crate) async fn keep(host: &mut RawHost, content: &str, times: usize) -> DataReference {
    reference_of(&host.get("tools/call", make(content, times)).await)
}

/// Returns the arguments of the latest call that the server read.
pub(crate) fn taken(server: &RawServer) -> Value {
    server.read_of("tools/call").last().unwrap()["params"]["arguments"].clone()
}

/// Returns the name of a reference in errors and in the audit trail.
pub(crate) fn short(id: &str) -> String {
    format!("{}…", &id[..12])
}

pub(crate) fn sha256(content: &str) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn a_kept_result_reaches_another_tool_whole_by_its_reference() {
    let (setup, server) = kernel_with(|kernel| kernel).await;
    let mut host = host(&setup, "agent.test").await;
    let content = "zwölf \"quoted\"\\ lines\n".repeat(100_000);
    let answer = host.get("tools/call", make("zwölf \"quoted\"\\ lines\n", 100_000)).await;
    let reference = reference_of(&answer);
    assert!(reference.ref_id.starts_with("ref-") && reference.ref_id.len() > 30);
    assert_eq!((reference.origin_server.as_str(), reference.mime_type.as_str()), ("crm", "text/plain"));
    assert_eq!(reference.size_bytes, Some(content.len() as u64));
    let checksum = reference.checksum.clone().unwrap();
    assert_eq!((checksum.algorithm.as_str(), checksum.value), ("sha256", sha256(&content)));
    assert!(reference.expires_at.unwrap() > jiff::Timestamp::now().to_string());
    assert_eq!(answer["structuredContent"], answer["_meta"]["dev.cloto/reference"]);
    host.get("tools/call", take(json!({"/data": reference.ref_id}))).await;
    assert_eq!(taken(&server), json!({"kind": "csv", "data": content}));
    // No server is told what concerns the kernel alone.
    assert!(server.read().iter().all(|message| !message.to_string().contains("dev.cloto/call")));

    // The same through the kernel's own tool, into a place of its own, and with no arguments.
    let wrapped = |inner: Value| json!({"name": "mgp_tools_call", "arguments": inner});
    let kept = wrapped(json!({"name": "make", "arguments": {"text": "a"}, "keep_result": true}));
    let id = reference_of(&host.get("tools/call", kept).await).ref_id;
    host.get("tools/call", wrapped(json!({"name": "take", "refs": {"/data": id}}))).await;
    assert_eq!(taken(&server), json!({"data": "a"}));
    let into = json!({"name": "take", "arguments": {"list": [1, 2]}, "refs": {"/list/0": id, "/list/-": id}});
    host.get("tools/call", wrapped(into)).await;
    assert_eq!(taken(&server), json!({"list": ["a", 2, "a"]}));
    let read: usize = host.read.iter().map(|message| message.to_string().len()).sum();
    assert!(read < 4096, "the host read {read} bytes");
}

#[tokio::test]
async fn structured_content_is_passed_on_as_json_in_whole_or_part() {
    let (setup, server) = kernel_with(|kernel| kernel).await;
    let mut host = host(&setup, "agent.test").await;
    let rows = json!({"name": "rows", "_meta": {"dev.cloto/call": {"keep_result": true}}});
    let reference = reference_of(&host.get("tools/call", rows).await);
    assert_eq!(reference.mime_type, "application/json");
    let id = reference.ref_id;
    host.get("tools/call", take(json!({"/data": id, "/first": format!("{id}#/rows/1/n/0")}))).await;
    let data = json!({"rows": [{"n": 1}, {"n": [2]}]});
    assert_eq!(taken(&server), json!({"kind": "csv", "data": data, "first": 2}));
    // A text that holds JSON has parts too.
    let id = keep(&mut host, r#"{"a":[7]}"#, 1).await.ref_id;
    host.get("tools/call", take(json!({"/data": format!("{id}#/a/0")}))).await;
    assert_eq!(taken(&server), json!({"kind": "csv", "data": 7}));
    for (refs, problem) in [
        (json!({"/data": format!("{id}#/b")}), "has no such part"),
        (json!({"/no/data": id}), "there is no member \"no\""),
        (json!({"": id}), "expected an object"),
        (json!({"/data": 7}), "expected a string with a reference"),
    ] {
        let before = server.read_of("tools/call").len();
        let error = host.refused("tools/call", take(refs)).await;
        assert!(error["message"].as_str().unwrap().contains(problem), "{error}");
        assert_eq!(server.read_of("tools/call").len(), before);
    }
}

#[tokio::test]
async fn foreign_and_expired_references_are_as_unknown_as_absent_ones() {
    let (setup, server) = kernel_with(|kernel| kernel.config(agents(["bob"]))).await;
    let (mut ann, mut bob) = (host(&setup, "agent.test").await, host(&setup, "bob").await);
    let of_ann = keep(&mut ann, "for ann", 1).await.ref_id;
    let calls = server.read_of("tools/call").len();
    let never = "ref-00000000000000000000000000000000";
    let mut answers = Vec::new();
    let mut delegated = take(json!({"/data": of_ann}));
    delegated["_mgp"] = json!({"delegation": ["bob"]});
    for (is_bob, id, call) in [
        (true, of_ann.as_str(), take(json!({"/data": of_ann}))),
        (true, never, take(json!({"/data": never}))),
        (false, of_ann.as_str(), delegated),
    ] {
        let host = if is_bob { &mut bob } else { &mut ann };
        let mut error = host.refused("tools/call", call).await;
        error["data"]["trace_id"] = Value::Null;
        answers.push(error.to_string().replace(&short(id), "ID"));
    }
    let mut read = Vec::new();
    for id in [of_ann.as_str(), never] {
        let mut error = bob.refused("resources/read", json!({"uri": format!("mgp://references/{id}")})).await;
        error["data"]["trace_id"] = Value::Null;
        read.push(error.to_string().replace(&short(id), "ID"));
    }
    assert!(read[0].contains("unknown reference") && read[0] == read[1], "{read:?}");
    jump(Duration::from_secs(901)).await;
    let mut error = ann.refused("tools/call", take(json!({"/data": of_ann}))).await;
    error["data"]["trace_id"] = Value::Null;
    answers.push(error.to_string().replace(&short(&of_ann), "ID"));
    assert!(
        answers[0].contains("unknown reference") && answers.iter().all(|answer| *answer == answers[0]),
        "{answers:#?}"
    );
    assert_eq!(server.read_of("tools/call").len(), calls);
    assert!(setup.calls().last().unwrap().contains(" BLOCKED crm.take"), "{:?}", setup.calls().last());
}

#[tokio::test]
async fn the_gates_judge_the_referenced_data() {
    let (setup, server) = kernel_with(|kernel| kernel).await;
    let mut host = host(&setup, "agent.test").await;
    for (command, passes) in [("ls -l", true), ("rm -rf /", false)] {
        let id = keep(&mut host, command, 1).await.ref_id;
        let before = server.read_of("tools/call").len();
        let call = json!({"name": "run_shell", "_meta": {"dev.cloto/call": {"refs": {"/command": id}}}});
        let answer = host.get("tools/call", call).await;
        assert_eq!(answer["isError"] == true, !passes, "{answer}");
        assert_eq!(server.read_of("tools/call").len() - before, usize::from(passes), "{command}");
    }
}

#[tokio::test]
async fn the_trail_has_references_and_hashes_and_no_data() {
    let (setup, _server) = kernel_with(|kernel| kernel).await;
    let mut host = host(&setup, "agent.test").await;
    let reference = keep(&mut host, "the data ", 500).await;
    host.get("tools/call", take(json!({"/data": reference.ref_id}))).await;
    let events = setup.sink.events();
    let details: Vec<Value> = events
        .iter()
        .filter(|event| event.event_type.to_string() == "TOOL_EXECUTED")
        .map(|event| serde_json::to_value(event.details.clone()).unwrap())
        .collect();
    let hash = sha256(&"the data ".repeat(500));
    let name = short(&reference.ref_id);
    let named = DataReference { ref_id: name.clone(), ..reference.clone() };
    assert_eq!(details[0]["kept"], serde_json::to_value(named).unwrap());
    assert_eq!(
        details[1]["references"],
        json!([{"at": "/data", "ref_id": name, "origin_server": "crm", "mime_type": "text/plain",
            "size_bytes": 4500, "sha256": hash}])
    );
    // The key of shared data is derived from the whole reference.
    host.get("resources/read", json!({"uri": reference.uri()})).await;
    let read = json!({"name": "mgp_result_read", "arguments": {"ref": reference.ref_id, "offset": 0}});
    host.get("tools/call", json!({"name": "mgp_tools_call", "arguments": read})).await;
    host.refused("tools/call", take(json!({"/data": format!("{}#/b", reference.ref_id)}))).await;
    for event in setup.sink.events() {
        let text = serde_json::to_string(&event).unwrap();
        assert!(!text.contains("the data the data") && !text.contains(&reference.ref_id), "{text}");
    }
}

#[tokio::test]
async fn an_approver_sees_origin_size_and_hash_of_referenced_data() {
    let server = server();
    let mut spec = server.spec("crm");
    spec.confirmation = Some(Confirmation::UnlessApproved);
    let setup = start(|kernel, _| kernel.server(spec).approver(Deny)).await;
    let mut host = host(&setup, "agent.test").await;
    let operator = Principal::operator("ann");
    let approve = async || {
        let pending = setup.kernel.confirmations().pending().await.unwrap();
        let row = pending.last().unwrap().clone();
        setup.kernel.confirmations().approve(&row.id, ApprovalTerm::Once, &operator).await.unwrap();
        row
    };
    let mut kept = Vec::new();
    for content in ["one ", "two "] {
        host.refused("tools/call", make(content, 1000)).await;
        approve().await;
        kept.push(keep(&mut host, content, 1000).await.ref_id);
    }
    host.refused("tools/call", take(json!({"/data": kept[0]}))).await;
    let row = approve().await;
    let shown = row.arguments.as_str();
    let hash = sha256(&"one ".repeat(1000));
    assert!(!shown.contains("one one"), "{shown}");
    for fact in ["\"origin_server\":\"crm\"", "\"size_bytes\":4000", hash.as_str(), "\"kind\":\"csv\""] {
        assert!(shown.contains(fact), "{fact}: {shown}");
    }
    // Other data under the same arguments is another call; the same data under another reference is not.
    host.refused("tools/call", take(json!({"/data": kept[1]}))).await;
    host.get("tools/call", take(json!({"/data": kept[0]}))).await;
    assert_eq!(taken(&server)["data"], "one ".repeat(1000));
}

#[tokio::test]
async fn a_short_result_is_shown_unchanged() {
    let server = server();
    let mut spec = server.spec("crm");
    spec.confirmation = Some(Confirmation::UnlessApproved);
    let setup = start(|kernel, _| kernel.server(spec).approver(Deny)).await;
    let mut host = host(&setup, "agent.test").await;
    host.refused("tools/call", make("drop everything", 1)).await;
    let pending = setup.kernel.confirmations().pending().await.unwrap();
    setup
        .kernel
        .confirmations()
        .approve(&pending[0].id, ApprovalTerm::Once, &Principal::operator("ann"))
        .await
        .unwrap();
    let id = keep(&mut host, "drop everything", 1).await.ref_id;
    host.refused("tools/call", take(json!({"/data": id}))).await;
    let pending = setup.kernel.confirmations().pending().await.unwrap();
    assert_eq!(pending.last().unwrap().arguments.as_str(), r#"{"kind":"csv","data":"drop everything"}"#);
}

#[tokio::test]
async fn a_call_without_room_is_not_made_and_a_long_result_is_whole() {
    let bounds = ReferencesConfig { max_results: 2, max_bytes: 1000, ..ReferencesConfig::default() };
    let (setup, server) = kernel_with(|kernel| {
        kernel.config(|config| {
            config.references = bounds;
            config.agents.push("bob".into());
        })
    })
    .await;
    let (mut ann, mut bob) = (host(&setup, "agent.test").await, host(&setup, "bob").await);
    keep(&mut ann, "x", 600).await;
    let whole = ann.get("tools/call", make("y", 600)).await;
    assert_eq!(whole["content"][0]["text"], "y".repeat(600));
    let reason = whole["_meta"]["dev.cloto/reference"]["not_kept"].as_str().unwrap();
    assert!(reason.contains("600 of 1000 bytes are kept for this agent"), "{reason}");
    assert!(whole["content"][1]["text"].as_str().unwrap().contains("not kept"), "{whole}");
    keep(&mut ann, "z", 1).await;
    let before = server.read_of("tools/call").len();
    let refused = ann.refused("tools/call", make("w", 1)).await;
    assert_eq!(server.read_of("tools/call").len(), before, "the call was not made");
    let text = refused.to_string();
    assert!(text.contains("2 results are kept for this agent") && text.contains("retry_after"), "{text}");
    // Others have room of their own, and time makes room.
    keep(&mut bob, "v", 600).await;
    jump(Duration::from_secs(901)).await;
    keep(&mut ann, "u", 900).await;
}

#[tokio::test]
async fn all_agents_together_have_bounds_too() {
    let bounds =
        ReferencesConfig { max_total_results: 2, max_total_bytes: 1000, ..ReferencesConfig::default() };
    let (setup, _server) = kernel_with(|kernel| {
        kernel.config(|config| {
            config.references = bounds;
            config.agents.push("bob".into());
        })
    })
    .await;
    let (mut ann, mut bob) = (host(&setup, "agent.test").await, host(&setup, "bob").await);
    keep(&mut ann, "x", 600).await;
    let whole = bob.get("tools/call", make("y", 600)).await;
    assert!(whole.to_string().contains("600 of 1000 bytes are kept for all agents"));
    keep(&mut bob, "z", 1).await;
    let refused = bob.refused("tools/call", make("w", 1)).await;
    assert!(refused.to_string().contains("2 results are kept for all agents"));
}

#[tokio::test]
async fn a_kept_result_is_read_in_parts_between_characters() {
    let (setup, _server) = kernel_with(|kernel| kernel).await;
    let mut host = host(&setup, "agent.test").await;
    let content = "aß文🦀".repeat(20_000);
    let reference = keep(&mut host, "aß文🦀", 20_000).await;
    let (mut text, mut offset) = (String::new(), 0);
    while text.len() < content.len() {
        let uri = format!("{}?offset={offset}&length=65537", reference.uri());
        let read = host.get("resources/read", json!({"uri": uri})).await;
        let part = &read["contents"][0];
        assert_eq!((&part["uri"], &part["mimeType"]), (&json!(uri), &json!("text/plain")));
        text.push_str(part["text"].as_str().unwrap());
        let place = &part["_meta"]["dev.cloto/reference"];
        assert_eq!(
            (place["offset"].as_u64(), place["size_bytes"].as_u64()),
            (Some(offset), reference.size_bytes)
        );
        offset = place["next_offset"].as_u64().unwrap_or(content.len() as u64);
    }
    assert_eq!(text, content);
    // From inside a character, reading begins with the next one.
    let read =
        host.get("resources/read", json!({"uri": format!("{}?offset=2&length=4", reference.uri())})).await;
    assert_eq!(read["contents"][0]["text"], "文");
    let far =
        host.refused("resources/read", json!({"uri": format!("{}?offset=200001", reference.uri())})).await;
    assert!(far["message"].as_str().unwrap().contains("expected at most 200000"), "{far}");
}

#[tokio::test]
async fn failures_are_not_kept_and_references_not_structured_content() {
    let (setup, _server) = kernel_with(|kernel| kernel).await;
    let mut host = host(&setup, "agent.test").await;
    let keeping = |name: &str| json!({"name": name, "_meta": {"dev.cloto/call": {"keep_result": true}}});
    let fail = host.get("tools/call", keeping("fail")).await;
    assert!(fail["isError"] == true && fail["_meta"].get("dev.cloto/reference").is_none(), "{fail}");
    let checked = host.get("tools/call", keeping("checked")).await;
    assert_eq!((reference_of(&checked).size_bytes, checked.get("structuredContent")), (Some(28), None));
}

#[tokio::test]
async fn a_dry_run_reports_that_the_result_has_no_room() {
    let bounds = ReferencesConfig { max_results: 1, ..ReferencesConfig::default() };
    let (setup, _server) = kernel_with(|kernel| kernel.config(|config| config.references = bounds)).await;
    let mut host = host(&setup, "agent.test").await;
    let asks = |keeps: bool| {
        let inner =
            json!({"name": "make", "arguments": {"text": "x"}, "keep_result": keeps, "dry_run": true});
        json!({"name": "mgp_tools_call", "arguments": inner})
    };
    let before = host.get("tools/call", asks(true)).await;
    assert_eq!(before["structuredContent"]["allowed"], true, "{before}");
    keep(&mut host, "x", 1).await;
    for (keeps, allowed) in [(true, false), (false, true)] {
        let judged = host.get("tools/call", asks(keeps)).await;
        assert_eq!(judged["structuredContent"]["allowed"], allowed, "{judged}");
    }
    let real = host.refused("tools/call", make("x", 1)).await;
    let judged = host.get("tools/call", asks(true)).await;
    assert_eq!(judged["structuredContent"]["error"]["message"], real["message"], "{judged}");
}

#[tokio::test]
async fn a_kept_answer_has_the_state_of_its_session_and_its_outcome() {
    let (setup, _server) = kernel_with(|kernel| kernel).await;
    let mut host = host(&setup, "agent.test").await;
    let call = json!({"name": "stateful", "_meta": {"dev.cloto/call": {"keep_result": true}}});
    let answer = host.get("tools/call", call).await;
    assert_eq!(reference_of(&answer).size_bytes, Some(4));
    let meta = &answer["_meta"];
    assert_eq!(meta["session_state"], "s".repeat(4000));
    assert_eq!(meta["dev.cloto/result"]["explanation"], "e".repeat(2000));
    assert!(meta.get("other").is_none());
}

#[tokio::test]
async fn a_host_gets_no_chunks_of_a_result_that_is_kept() {
    let setup = start(|kernel, signals| kernel.server(spec("test", signals))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let mut call = json!({"name": "count", "arguments": {"steps": 3}, "_mgp": {"stream": true}});
    host.get("tools/call", call.clone()).await;
    assert_eq!(host.count("notifications/mgp.stream.chunk"), 3);
    call["_meta"] = json!({"dev.cloto/call": {"keep_result": true}});
    let answer = host.get("tools/call", call).await;
    assert_eq!(reference_of(&answer).size_bytes, Some(6));
    assert_eq!(host.count("notifications/mgp.stream.chunk"), 3, "no more came");
}
