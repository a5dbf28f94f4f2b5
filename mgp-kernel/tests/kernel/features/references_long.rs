//! Kept results that are too long for memory.

use crate::{
    features::references::{host, reference_of, take},
    raw_host::{As, RawHost},
    support::{Setup, rule, start},
};
use mgp_discovery::config::ReferencesConfig;
use mgp_kernel::{Endpoint, Era, InProcess, KernelBuilder, ServerSpec};
use mgp_lifecycle::breaker::BreakerPolicy;
use mgp_transport::{
    memory,
    seam::{BoxPeerService, Decision, Reply, ToolCall},
};
use mgp_types::{
    access::{AccessDecision, DefaultPolicy},
    context::TrustLevel,
};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::{
    sync::{
        Arc, LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tower::{ServiceExt, layer::layer_fn};

/// Returns a server that makes a text of any length, and tells the length and a hash of one that it takes.
fn streaming_server() -> ServerSpec {
    counting_server(Arc::default())
}

/// Returns the same server, which counts its calls.
fn counting_server(calls: Arc<AtomicUsize>) -> ServerSpec {
    let connect = move || {
        let (here, (input, mut output)) = memory::pair();
        let calls = calls.clone();
        tokio::spawn(async move {
            let mut input = BufReader::new(input);
            let mut line = Vec::new();
            loop {
                line.clear();
                if !input.read_until(b'\n', &mut line).await.is_ok_and(|length| length > 0) {
                    return;
                }
                let is_call = line.windows(12).any(|part| part == br#""tools/call""#);
                calls.fetch_add(usize::from(is_call), Ordering::SeqCst);
                if let Some(answer) = streaming_answer(&line) {
                    for part in answer.as_bytes().chunks(1 << 20) {
                        output.write_all(part).await.unwrap();
                    }
                    output.write_all(b"\n").await.unwrap();
                }
            }
        });
        here
    };
    let mut spec = ServerSpec::new("big", Endpoint::InProcess(InProcess::new(connect)));
    spec.default_policy = DefaultPolicy::OptOut;
    spec
}

fn streaming_answer(line: &[u8]) -> Option<String> {
    let message: Value = serde_json::from_slice(line).unwrap();
    let (id, params) = (message.get("id")?, &message["params"]);
    let result = match (message["method"].as_str()?, params["name"].as_str()) {
        ("initialize", _) => {
            json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "big", "version": "1"}})
        }
        ("tools/list", _) => {
            let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
            let mut shell = tool("run_shell");
            shell["description"] = json!("Runs a command in a shell.");
            shell["inputSchema"]["properties"] = json!({"command": {"type": "string"}});
            let mut narrow = tool("narrow");
            narrow["_meta"] = json!({"dev.cloto/tool": {"max_input_size_bytes": 1 << 20}});
            let mut reads = tool("make");
            reads["annotations"] = json!({"readOnlyHint": true});
            json!({"tools": [reads, tool("wrap"), tool("fail"), tool("escaped"), tool("take"), tool("draw"), narrow, shell]})
        }
        ("tools/call", Some(name @ ("make" | "wrap" | "fail"))) => {
            let text = BIG.repeat(usize::try_from(params["arguments"]["times"].as_u64()?).unwrap());
            let content = json!([{"type": "text", "text": text}]);
            match name {
                "make" => json!({"content": content}),
                "wrap" => json!({"content": content, "structuredContent": {"result": text, "rows": 1}}),
                _ => json!({"content": content, "isError": true}),
            }
        }
        ("tools/call", Some("draw")) => {
            json!({"content": picture(usize::try_from(params["arguments"]["times"].as_u64()?).unwrap())})
        }
        ("tools/call", Some("escaped")) => {
            let text = "\u{1}".repeat(usize::try_from(params["arguments"]["times"].as_u64()?).unwrap());
            json!({"content": [], "structuredContent": {"result": text}})
        }
        ("tools/call", Some("take" | "narrow")) => {
            let told: Vec<Value> = ["data", "more"]
                .iter()
                .filter_map(|name| params["arguments"][name].as_str())
                .map(told)
                .collect();
            json!({"content": [{"type": "text", "text": json!(told).to_string()}]})
        }
        _ => json!({}),
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
}

/// A part of a long text, with everything that JSON escapes. Most of it is plain, because tests are not optimized.
static BIG: LazyLock<String> = LazyLock::new(|| format!("row \"é\" \\ 🦀\t1\n{}", "plain text ".repeat(90)));

/// Returns content whose one string is Base64 of a length.
fn picture(length: usize) -> Value {
    json!([{"type": "image", "data": "A".repeat(length), "mimeType": "image/png"}])
}

/// Returns what the server tells of a text that it took: its length and a hash that is quick without optimization.
fn told(text: &str) -> Value {
    let hash = text
        .as_bytes()
        .iter()
        .step_by(7)
        .fold(0u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(*byte)));
    json!({"bytes": text.len(), "hash": hash})
}

async fn big_kernel(build: impl FnOnce(KernelBuilder) -> KernelBuilder) -> (Setup, RawHost) {
    let setup = start(|kernel, _| build(kernel.server(streaming_server()))).await;
    let host = host(&setup, "agent.test").await;
    (setup, host)
}

fn big(name: &str, times: usize) -> Value {
    json!({"name": name, "arguments": {"times": times}, "_meta": {"dev.cloto/call": {"keep_result": true}}})
}

#[tokio::test]
async fn a_text_too_long_for_a_frame_passes_between_servers() {
    let (setup, mut host) = big_kernel(|kernel| kernel).await;
    let times = (17 << 20) / BIG.len();
    let whole = BIG.repeat(times);
    let reference = reference_of(&host.get("tools/call", big("make", times)).await);
    assert_eq!(reference.size_bytes, Some(whole.len() as u64));
    let taken = host.get("tools/call", take(json!({"/data": reference.ref_id}))).await;
    assert_eq!(taken["content"][0]["text"], json!([told(&whole)]).to_string());
    // A part of it is read like that of any other.
    let offset = whole.len() - 2 * BIG.len();
    let read =
        host.get("resources/read", json!({"uri": format!("{}?offset={offset}", reference.uri())})).await;
    assert_eq!(read["contents"][0]["text"], BIG.repeat(2));
    // As JSON, it has its long strings as parts.
    let wrapped = reference_of(&host.get("tools/call", big("wrap", times)).await);
    let whole_json = json!({"result": whole, "rows": 1}).to_string();
    assert_eq!(wrapped.size_bytes, Some(whole_json.len() as u64));
    let part = format!("{}#/result", wrapped.ref_id);
    let taken = host.get("tools/call", take(json!({"/data": part, "/more": reference.ref_id}))).await;
    assert_eq!(taken["content"][0]["text"], json!([told(&whole), told(&whole)]).to_string());
    let read: usize = host.read.iter().map(|message| message.to_string().len()).sum();
    assert!(read < 8192, "the host read {read} bytes");
    let events = setup.sink.events();
    assert!(events.iter().all(|event| !serde_json::to_string(event).unwrap().contains("mgp-long-text")));
}

#[tokio::test]
async fn long_data_are_refused_if_a_gate_reads_the_arguments() {
    let (_setup, mut host) = big_kernel(|kernel| kernel).await;
    let times = (16 << 20) / BIG.len();
    let id = reference_of(&host.get("tools/call", big("make", times)).await).ref_id;
    let call = json!({"name": "run_shell", "_meta": {"dev.cloto/call": {"refs": {"/command": id}}}});
    let error = host.refused("tools/call", call).await;
    assert!(error["message"].as_str().unwrap().contains("a validator of the tool reads it"), "{error}");
    let gate = |_: &ToolCall| Decision::Allow;
    // What the program has added sees the whole result, which must then fit into a frame.
    let times = (31 << 19) / BIG.len();
    let (_setup, mut host) = big_kernel(|kernel| kernel.gate(gate)).await;
    let id = reference_of(&host.get("tools/call", big("make", times)).await).ref_id;
    let error = host.refused("tools/call", take(json!({"/data": id}))).await;
    assert!(error["message"].as_str().unwrap().contains("a custom gate reads it"), "{error}");
}

#[tokio::test]
async fn a_tool_that_limits_its_arguments_gets_no_text_over_the_limit() {
    let (_setup, mut host) = big_kernel(|kernel| kernel).await;
    for (mib, problem) in
        [(2, "too large: expected at most 1048576 bytes"), (16, "limits the size of its arguments")]
    {
        let id = reference_of(&host.get("tools/call", big("make", (mib << 20) / BIG.len())).await).ref_id;
        let mut call = take(json!({"/data": id}));
        call["name"] = json!("narrow");
        let error = host.refused("tools/call", call).await;
        assert!(error["message"].as_str().unwrap().contains(problem), "{error}");
    }
}

#[tokio::test]
async fn a_reference_reveals_no_concealed_tool() {
    let (setup, mut host) =
        big_kernel(|kernel| kernel.config(|config| config.access.conceal = Some(true))).await;
    setup.kernel.access().put(rule("big", Some("fail"), AccessDecision::Deny)).await.unwrap();
    let long = reference_of(&host.get("tools/call", big("make", (16 << 20) / BIG.len())).await).ref_id;
    let short = reference_of(&host.get("tools/call", big("make", 1)).await).ref_id;
    let mut answers = Vec::new();
    for name in ["fail", "nope"] {
        let mut told = Vec::new();
        for id in [&long, &short, "ref-unknown"] {
            let mut call = take(json!({"/data": id}));
            call["name"] = json!(name);
            told.push(host.refused("tools/call", call).await);
            let arguments = json!({"name": name, "arguments": {}, "refs": {"/data": id}, "dry_run": true});
            told.push(host.call("mgp_tools_call", arguments).await);
        }
        let mut told = json!(told).to_string().replace(name, "TOOL");
        while let Some(at) = told.find("trace_id") {
            told.replace_range(at..told[at..].find(['}', ',']).unwrap() + at, "");
        }
        answers.push(told);
    }
    assert_eq!(answers[0], answers[1]);
    assert!(answers[0].contains("unknown tool") && !answers[0].contains("reference"), "{}", answers[0]);
}

#[tokio::test]
async fn a_long_result_that_is_not_kept_is_whole_or_reported_as_lost() {
    let bounds = ReferencesConfig { max_bytes: 18 << 20, ..ReferencesConfig::default() };
    let (setup, mut host) = big_kernel(|kernel| kernel.config(|config| config.references = bounds)).await;
    let times = (1 << 20) / BIG.len();
    let fail = host.get("tools/call", big("fail", times)).await;
    assert!(fail["isError"] == true && fail["content"][0]["text"] == BIG.repeat(times));
    keep_times(&mut host, 17).await;
    let whole = host.get("tools/call", big("make", 2 * times)).await;
    assert!(whole["content"][0]["text"] == BIG.repeat(2 * times) && whole.to_string().contains("not_kept"));
    let mut mgp = setup.raw_host(As::mgp(Era::Initialize)).await;
    let lost = mgp.refused("tools/call", big("fail", 17 * times)).await;
    assert!(
        lost.to_string().contains("the tool has run") && lost.to_string().contains("\"retryable\":false"),
        "{lost}"
    );
    assert_eq!(lost["data"]["_mgp"]["details"]["outcome"], "done", "{lost}");
    let full = host.refused("tools/call", big("make", 19 * times)).await;
    assert!(full["message"].as_str().unwrap().contains("no room"), "{full}");
}

async fn keep_times(host: &mut RawHost, mib: usize) {
    reference_of(&host.get("tools/call", big("make", (mib << 20) / BIG.len())).await);
}

/// Starts a kernel whose server is not called for a while after two calls in a row that were not answered, and which has room for few bytes.
async fn narrow_kernel(max_bytes: u64) -> (Setup, RawHost, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let mut spec = counting_server(calls.clone());
    let pause = Duration::from_secs(3600);
    spec.breaker = BreakerPolicy { failures: 2, pause, max_pause: pause };
    spec.trust = TrustLevel::Standard;
    let bounds = ReferencesConfig { max_bytes, ..ReferencesConfig::default() };
    let setup = start(|kernel, _| kernel.config(|config| config.references = bounds).server(spec)).await;
    let host = host(&setup, "agent.test").await;
    (setup, host, calls)
}

#[tokio::test]
async fn a_long_result_without_room_is_whole_and_its_tool_runs_once() {
    let times = (2 << 20) / BIG.len();
    for max_bytes in [1_000_000, 17 << 20] {
        let (_setup, mut host, calls) = narrow_kernel(max_bytes).await;
        if max_bytes > 1_000_000 {
            keep_times(&mut host, 16).await;
        }
        for round in 1..=3 {
            let before = calls.load(Ordering::SeqCst);
            let whole = host.get("tools/call", big("make", times)).await;
            assert!(whole["content"][0]["text"] == BIG.repeat(times), "round {round} of {max_bytes}");
            assert!(whole["_meta"]["dev.cloto/reference"]["not_kept"].is_string());
            assert_eq!(calls.load(Ordering::SeqCst) - before, 1);
        }
    }
}

#[tokio::test]
async fn a_result_that_fits_nowhere_is_lost_and_the_server_continues() {
    for max_bytes in [1_000_000, 17 << 20] {
        let (_setup, mut host, calls) = narrow_kernel(max_bytes).await;
        for round in 1..=3 {
            let lost = host.refused("tools/call", big("make", (18 << 20) / BIG.len())).await;
            assert_eq!(
                (&lost["data"]["category"], calls.load(Ordering::SeqCst)),
                (&json!("permanent"), round),
                "{lost}"
            );
            let text = lost.to_string();
            assert!(text.contains("the tool has run") && text.contains("no room"), "{text}");
            assert!(text.contains("\"retryable\":false"), "{text}");
        }
        let short = host.get("tools/call", json!({"name": "make", "arguments": {"times": 1}})).await;
        assert_eq!(short["content"][0]["text"], *BIG);
    }
}

#[tokio::test]
async fn characters_that_json_escapes_count_as_written() {
    let bounds = ReferencesConfig { max_bytes: 2 << 20, ..ReferencesConfig::default() };
    let (_setup, mut host) = big_kernel(|kernel| kernel.config(|config| config.references = bounds)).await;
    let times = 600_000;
    let whole = host.get("tools/call", big("escaped", times)).await;
    let reason = whole["_meta"]["dev.cloto/reference"]["not_kept"].as_str().unwrap();
    assert!(reason.contains("references.max_bytes"), "{reason}");
    assert!(whole["structuredContent"]["result"] == "\u{1}".repeat(times));
    // The place is given back.
    let kept = reference_of(&host.get("tools/call", big("escaped", times / 4)).await);
    assert_eq!(kept.size_bytes, Some(6 * (times as u64 / 4) + 13));
}

#[tokio::test]
async fn a_layer_of_the_program_sees_a_long_result_unchanged() {
    let seen: Arc<Mutex<Vec<usize>>> = Arc::default();
    let noted = seen.clone();
    let note = layer_fn(move |inner: BoxPeerService<ToolCall>| {
        let noted = noted.clone();
        inner.map_response(move |reply: Reply| {
            noted.lock().push(reply.result().map_or(0, |result| result.as_bytes().len()));
            reply
        })
    });
    let (_setup, mut host) = big_kernel(|kernel| kernel.layer(note)).await;
    let times = (1 << 20) / BIG.len();
    let reference = reference_of(&host.get("tools/call", big("make", times)).await);
    assert_eq!(reference.size_bytes, Some((times * BIG.len()) as u64));
    assert!(seen.lock()[0] > times * BIG.len(), "{seen:?}");
}

#[tokio::test]
async fn a_result_too_long_for_a_frame_is_kept_by_itself() {
    let (_setup, mut host) =
        big_kernel(|kernel| kernel.config(|config| config.results.max_tokens = Some(1000))).await;
    let times = (17 << 20) / BIG.len();
    let call = |name: &str, times: usize| json!({"name": name, "arguments": {"times": times}});
    let long = host.get("tools/call", call("make", times)).await;
    assert_eq!(reference_of(&long).size_bytes, Some((times * BIG.len()) as u64));
    let text = long["content"][0]["text"].as_str().unwrap();
    assert!(text.ends_with(&BIG.repeat(2).chars().take(1000).collect::<String>()), "{text}");
    let times = (1 << 20) / BIG.len();
    let fail = host.get("tools/call", call("fail", times)).await;
    assert!(fail["isError"] == true && fail["content"][0]["text"] == BIG.repeat(times));
    let (_setup, mut host) =
        big_kernel(|kernel| kernel.config(|config| config.results.max_tokens = Some(1_000_000))).await;
    let whole = host.get("tools/call", call("make", times)).await;
    assert!(whole["content"][0]["text"] == BIG.repeat(times) && whole.get("_meta").is_none());
}

#[tokio::test]
async fn a_picture_too_long_for_a_frame_is_kept_unchanged() {
    let (_setup, mut host) = big_kernel(|kernel| kernel).await;
    let length = 17 << 20;
    let reference = reference_of(&host.get("tools/call", big("draw", length)).await);
    assert_eq!(reference.size_bytes, Some(picture(length).to_string().len() as u64));
}
