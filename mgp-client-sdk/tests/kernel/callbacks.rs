//! §13.4 A server's callbacks reach the host of their call, in whatever way the host can be asked, and no other host.

use crate::{
    eras::{events, spec as spec_of},
    log,
    raw_host::{As, ERAS, RawHost, all},
    raw_server::{RawServer, error, result, says, text},
    registration::support as registration,
    result_secrets::token,
    support::{Setup, idle, server_rule, start, within},
};
use mgp_client_sdk::{
    CallbackRequestParams, CallbackType, Era, RawJson, SecretPolicy,
    client::{CallbackAnswer, Client},
};
use mgp_discovery::config::HostFeature;
use mgp_server_sdk::{Server, Tool, ToolError, ask::Ask};
use mgp_toolindex::exposure::Exposure;
use mgp_types::lifecycle::{RestartConfig, RestartPolicy};
use serde_json::{Value, json};
use std::time::Duration;

const ASKS: &str = "notifications/mgp.callback.request";
const RESPOND: &str = "mgp/callback/respond";
const HOST_ASKED: &str = "dev.cloto.mgp.HOST_ASKED";

fn capabilities() -> Value {
    json!({"tools": {}, "mgp": {"version": "0.3.0", "extensions": ["callbacks", "streaming"]}})
}

/// A server that takes callbacks for agreed, and does nothing by itself: its calls hang.
fn silent() -> RawServer {
    RawServer::new(Era::Initialize, capabilities(), |message| match message["method"].as_str() {
        Some("tools/call") => Some(Vec::new()),
        Some(RESPOND) => Some(vec![result(message, json!({"accepted": true}))]),
        Some(method) if method.starts_with("mgp/") => Some(vec![error(message, -32601, "not here")]),
        _ => None,
    })
}

/// A server that asks by one callback in each call, and answers the call with the response that it gets.
fn asks(kind: &'static str, options: Value) -> RawServer {
    let call = parking_lot::Mutex::new(Value::Null);
    RawServer::new(Era::Initialize, capabilities(), move |message| match message["method"].as_str() {
        Some("tools/call") => {
            *call.lock() = message.clone();
            let mut asked = question("own-1", &message["id"]);
            (asked["params"]["type"], asked["params"]["options"]) = (kind.into(), options.clone());
            // A text that wants no answer holds nothing up.
            let done = (kind == "notification").then(|| text(message, "done"));
            Some([Some(asked), done].into_iter().flatten().collect())
        }
        Some(RESPOND) => {
            let response = message["params"]["response"].to_string();
            Some(vec![result(message, json!({"accepted": true})), text(&call.lock(), &response)])
        }
        Some(method) if method.starts_with("mgp/") => Some(vec![error(message, -32601, "not here")]),
        _ => None,
    })
}

/// Returns a confirmation for a call, or for no call that it names.
fn question(id: &str, call: &Value) -> Value {
    let mut params = json!({"callback_id": id, "type": "confirmation", "message": "Go on?"});
    if !call.is_null() {
        params["request_id"] = call.clone();
    }
    says(None, ASKS, params)
}

async fn setup(server: &RawServer, features: &[HostFeature]) -> Setup {
    let mut spec = server.spec("srv");
    spec.host_features = features.to_vec();
    start(|kernel, _| kernel.server(spec)).await
}

/// Starts a kernel in front of a server, and a host of it with a call in flight. Returns the server's id of the call and the host's.
async fn calling(server: &RawServer) -> (Setup, RawHost, Value, i64) {
    let setup = setup(server, &HostFeature::ALL).await;
    let (host, own, call) = caller(&setup, server, 1).await;
    (setup, host, own, call)
}

/// Connects a host that makes the call of a number. Returns the server's id of the call and the host's.
async fn caller(setup: &Setup, server: &RawServer, number: usize) -> (RawHost, Value, i64) {
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let call = host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
    let own = server.has_read("tools/call", number).await.remove(number - 1)["id"].take();
    (host, own, call)
}

/// Reads up to the next callback, and returns its params.
async fn callback(host: &mut RawHost) -> Value {
    host.hear(ASKS).await["params"].take()
}

/// Answers a callback, and returns the receipt.
async fn respond(host: &mut RawHost, asked: &Value, response: Value) -> Value {
    let params = json!({"callback_id": asked["callback_id"], "response": response});
    host.once(RESPOND, params).await["result"].take()
}

/// Waits for the response of a number to a callback of a server.
async fn response(server: &RawServer, id: &str, number: usize) -> Value {
    let of_it = |message: &Value| message["method"] == RESPOND && message["params"]["callback_id"] == id;
    server.reads(of_it, number).await.remove(number - 1)["params"]["response"].take()
}

/// Waits for the error in the response of a number to a callback of a server.
async fn refusal(server: &RawServer, id: &str, number: usize) -> String {
    let response = response(server, id, number).await;
    response["error"]["message"].as_str().unwrap_or_else(|| panic!("{response}")).to_owned()
}

/// Calls the tool, and returns the text of its result.
async fn worked(host: &mut RawHost) -> String {
    let reply = host.ask("tools/call", json!({"name": "work", "arguments": {}})).await;
    reply["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{reply}")).to_owned()
}

fn offered(capabilities: &Value) -> Vec<&str> {
    capabilities["mgp"]["extensions"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_host_with_callbacks_is_asked_by_one_with_an_id_of_the_kernel_and_the_question_is_recorded() {
    let server = asks("selection", json!(["a", "b"]));
    let setup = setup(&server, &HostFeature::ALL).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let call = host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
    let asked = callback(&mut host).await;
    assert_eq!(asked["message"], "[srv] Go on?");
    assert_eq!((&asked["request_id"], &asked["options"]), (&json!(call), &json!(["a", "b"])));
    assert_eq!(asked["callback_id"], "cb-1");
    let unfit = respond(&mut host, &asked, json!("c")).await;
    assert!(unfit["reason"].as_str().unwrap().starts_with("invalid_response"), "{unfit}");
    host.send(RESPOND, json!({"callback_id": "cb-1", "response": "b"})).await;
    let answer = host.answer_to(call).await;
    assert_eq!(answer["result"]["content"][0]["text"], r#""b""#);
    assert_eq!(server.read_of(RESPOND)[0]["params"], json!({"callback_id": "own-1", "response": "b"}));
    assert_eq!(events(&setup, HOST_ASKED, "method"), [format!("SUCCESS {ASKS}")]);
}

#[tokio::test]
async fn a_plain_host_is_asked_by_elicitation_in_both_eras() {
    let accept = |content: Value| json!({"action": "accept", "content": content});
    for (kind, options, answer, response) in [
        ("confirmation", Value::Null, accept(json!({})), r#""confirm""#),
        ("confirmation", json!(["keep", "delete"]), accept(json!({"answer": "delete"})), r#""delete""#),
        ("confirmation", json!(["go", "stop"]), json!({"action": "decline"}), r#""decline""#),
        ("input", Value::Null, json!({"action": "cancel"}), r#""cancel""#),
        ("selection", json!(["a", "b"]), accept(json!({"answer": "b"})), r#""b""#),
    ] {
        for era in ERAS {
            let server = asks(kind, options.clone());
            let setup = setup(&server, &HostFeature::ALL).await;
            let mut host = setup.raw_host(As::plain(era)).await;
            let answer = answer.clone();
            host.says(move |_, _| Ok(answer.clone()));
            assert_eq!(worked(&mut host).await, response, "{kind} {era:?}");
            assert_eq!((host.asked.len(), host.asked[0].0.as_str()), (1, "elicitation/create"));
            assert_eq!(host.asked[0].1["message"], "[srv] Go on?");
            assert_eq!(host.count(ASKS), 0);
        }
    }
}

#[tokio::test]
async fn an_answer_to_the_form_that_does_not_fit_the_callback_is_an_error() {
    let server = asks("selection", json!(["a", "b"]));
    let setup = setup(&server, &HostFeature::ALL).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.says(|_, _| Ok(json!({"action": "accept", "content": {"answer": "c"}})));
    let told = worked(&mut host).await;
    assert!(told.contains("expected one of the options"), "{told}");
}

async fn paint(ask: Ask) -> Result<String, ToolError> {
    let name = ask.input("name", "Who paints?").await?;
    let color = ask.select("color", "Which color?", ["red", "blue"]).await?;
    ask.inform("Nearly done").await?;
    Ok(format!("{name:?} {color:?} {}", ask.confirm("sure", "Sure?").await?))
}

async fn answer(asked: CallbackRequestParams) -> CallbackAnswer {
    assert!(asked.message.starts_with("[srv] "), "{}", asked.message);
    match asked.kind {
        CallbackType::Input => CallbackAnswer::text("Ada"),
        CallbackType::Selection => CallbackAnswer::text(&asked.options.unwrap()[1]),
        CallbackType::Confirmation => CallbackAnswer::confirm(),
        CallbackType::Notification => CallbackAnswer::cancel(),
    }
}

#[tokio::test]
async fn a_server_of_the_sdk_asks_hosts_of_every_kind() {
    let stack = Server::new("painter", "1").tool(Tool::new("work", "Paints", paint).read_only(true));
    let stack = stack.build().unwrap();
    // A server that is offered no forms asks by callbacks.
    for features in [&[HostFeature::Callback][..], &HostFeature::ALL] {
        let mut spec = spec_of("srv", Era::Initialize, &stack);
        spec.host_features = features.to_vec();
        spec.default_policy = mgp_types::access::DefaultPolicy::OptOut;
        let setup = start(|kernel, _| kernel.server(spec)).await;
        let expected = r#"Some("Ada") Some("blue") true"#;
        let host = setup.host_with(Client::builder("host", "1").on_callback(answer)).await;
        let painted = within(host.call_tool("work", RawJson::empty_object())).await.unwrap();
        assert_eq!(painted.content[0].as_text(), Some(expected), "{features:?}");
        for era in ERAS {
            let mut host = setup.raw_host(As::plain(era)).await;
            host.says(|_, params| {
                let content = match params["message"].as_str().unwrap() {
                    "[srv] Who paints?" => json!({"answer": "Ada"}),
                    "[srv] Which color?" => json!({"answer": "blue"}),
                    "[srv] Sure?" => json!({}),
                    other => panic!("{other}"),
                };
                Ok(json!({"action": "accept", "content": content}))
            });
            assert_eq!(worked(&mut host).await, expected, "{features:?} {era:?}");
        }
        let asked = events(&setup, HOST_ASKED, "method");
        assert_eq!(asked.len(), 9, "{asked:?}");
        let is_callback = |asked: &String| asked.contains(ASKS);
        assert!(if features.len() == 1 {
            asked.iter().all(is_callback)
        } else {
            !asked.iter().any(is_callback)
        });
    }
}

#[tokio::test]
async fn elicitation_reaches_a_host_that_shows_no_forms_as_a_callback() {
    let color = json!({"type": "string", "enum": ["red", "blue"], "title": "Color"});
    let form = |properties: Value| {
        let schema = json!({"type": "object", "properties": properties});
        json!({"message": "Which?", "requestedSchema": schema})
    };
    for era in ERAS {
        let server = crate::questions::server(era, "elicitation/create", form(json!({"c": color})));
        for (response, told) in
            [("red", r#"{"action":"accept","content":{"c":"red"}}"#), ("decline", "decline")]
        {
            let setup = setup(&server, &HostFeature::ALL).await;
            let mut host = setup.raw_host(As::mgp(Era::Initialize).can(json!({}))).await;
            let call = host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
            let asked = callback(&mut host).await;
            assert_eq!(asked["message"], "[srv] Which?\nColor", "{era:?}");
            assert_eq!((&asked["type"], &asked["options"]), (&json!("selection"), &json!(["red", "blue"])));
            host.send(RESPOND, json!({"callback_id": asked["callback_id"], "response": response})).await;
            let answer = host.answer_to(call).await["result"]["content"][0]["text"].take();
            assert!(answer.as_str().unwrap().contains(told), "{era:?}: {answer}");
            assert_eq!(events(&setup, HOST_ASKED, "method"), ["SUCCESS elicitation/create"]);
        }
        // A host that shows forms is shown them, also if it would answer callbacks.
        let kernel = setup(&server, &HostFeature::ALL).await;
        let mut host = kernel.raw_host(As::mgp(Era::Initialize)).await;
        host.call("work", json!({})).await;
        assert_eq!((host.asked.len(), host.count(ASKS)), (1, 0));
        // A server of a stateless revision is told of forms, which it would not ask for otherwise.
        let calls = server.read_of("tools/call");
        let profile = &calls[0]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        assert_eq!(
            profile["elicitation"],
            if era == Era::Stateless { json!({"form": {}}) } else { Value::Null }
        );
        let two = form(json!({"a": color, "b": color}));
        let server = crate::questions::server(era, "elicitation/create", two);
        let setup = setup(&server, &HostFeature::ALL).await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize).can(json!({}))).await;
        let answer = host.ask("tools/call", json!({"name": "work", "arguments": {}})).await;
        assert!(answer.to_string().contains("-32601"), "{era:?}: {answer}");
    }
}

#[tokio::test]
async fn a_host_that_cannot_be_asked_and_a_server_that_may_not_ask_are_refused_with_the_reason() {
    for (features, can, problem, recorded) in [
        (&HostFeature::ALL[..], json!({"roots": {}}), "answers no callbacks and shows no forms", "BLOCKED"),
        (&[HostFeature::Elicitation], all(), "host_features hold no \\\"callback\\\"", "BLOCKED"),
    ] {
        let server = asks("confirmation", Value::Null);
        let setup = setup(&server, features).await;
        let mut host = setup.raw_host(As::plain(Era::Initialize).can(can)).await;
        let told = worked(&mut host).await;
        assert!(told.contains(r#""error""#) && told.contains(problem), "{told}");
        assert_eq!(host.asked, []);
        assert_eq!(events(&setup, HOST_ASKED, "method"), [format!("{recorded} {ASKS}")]);
    }
    // A text without an answer is not passed on either.
    let server = asks("notification", Value::Null);
    let setup = setup(&server, &[HostFeature::Elicitation]).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    assert_eq!(worked(&mut host).await, "done");
    assert_eq!(host.heard, [] as [Value; 0]);
}

#[tokio::test]
async fn a_plain_server_and_a_stateless_one_have_no_callbacks() {
    let plain = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let call = message["method"] == "tools/call";
        call.then(|| vec![question("own-1", &message["id"]), text(message, "done")])
    });
    let kernel = setup(&plain, &HostFeature::ALL).await;
    let mut host = kernel.raw_host(As::mgp(Era::Initialize)).await;
    assert_eq!(worked(&mut host).await, "done");
    host.settle().await;
    assert_eq!((host.count(ASKS), plain.read_of(RESPOND)), (0, vec![]));

    let mgp = json!({"extensions": {"dev.cloto/mgp": capabilities()["mgp"]}, "tools": {}});
    let stateless = RawServer::new(Era::Stateless, mgp, |message| match message["method"].as_str() {
        Some("tools/call") => Some(vec![question("own-1", &message["id"]), text(message, "done")]),
        Some(RESPOND) => Some(vec![result(message, json!({"accepted": true}))]),
        _ => None,
    });
    let kernel = setup(&stateless, &HostFeature::ALL).await;
    let mut host = kernel.raw_host(As::mgp(Era::Initialize)).await;
    worked(&mut host).await;
    let told = refusal(&stateless, "own-1", 1).await;
    assert!(told.contains("need a session") && told.contains("input_required"), "{told}");
    assert_eq!(host.count(ASKS), 0);
}

#[tokio::test]
async fn a_text_without_an_answer_comes_before_the_answer_of_its_call() {
    for this in [As::mgp(Era::Initialize), As::plain(Era::Initialize), As::plain(Era::Stateless)] {
        let server = asks("notification", Value::Null);
        let setup = setup(&server, &HostFeature::ALL).await;
        let (is_mgp, mut host) = (this.mgp, setup.raw_host(this).await);
        host.log_level = Some("info");
        assert_eq!(worked(&mut host).await, "done");
        let (method, key) = if is_mgp { (ASKS, "message") } else { ("notifications/message", "data") };
        let told = host.heard.iter().filter(|heard| heard["method"] == method);
        let told: Vec<_> = told.map(|heard| &heard["params"][key]).collect();
        assert_eq!(told, ["[srv] Go on?"]);
        assert_eq!(events(&setup, HOST_ASKED, "method"), [""; 0]);
    }
}

#[tokio::test]
async fn texts_of_callbacks_are_searched_for_secrets() {
    let server = silent();
    let mut spec = server.spec("srv");
    spec.secrets = SecretPolicy::Mask;
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let (mut host, own, _) = caller(&setup, &server, 1).await;
    for (kind, options) in [("selection", json!([token()])), ("notification", Value::Null)] {
        let mut asked = question("a", &own);
        asked["params"]["message"] = format!("with {}", token()).into();
        (asked["params"]["type"], asked["params"]["options"]) = (kind.into(), options);
        server.say(asked);
        let asked = callback(&mut host).await;
        assert_eq!(asked["message"], "[srv] with [secret: github-pat]");
        assert!(!asked.to_string().contains(&token()), "{asked}");
    }
    let found = events(&setup, "dev.cloto.mgp.SECRET_FOUND", "method");
    assert_eq!(found, [format!("SUCCESS {ASKS}"), format!("SUCCESS {ASKS}")]);
}

#[tokio::test]
async fn of_two_hosts_with_calls_the_one_is_asked_whose_call_the_callback_names() {
    let server = silent();
    let (setup, mut one, first, _) = calling(&server).await;
    let (mut other, second, _) = caller(&setup, &server, 2).await;
    server.say(question("nameless", &Value::Null));
    let told = refusal(&server, "nameless", 1).await;
    assert!(told.contains("several hosts"), "{told}");
    server.say(question("a", &second));
    let asked = callback(&mut other).await;
    one.settle().await;
    assert_eq!(one.count(ASKS), 0);
    // The id of another host's callback is none of this host's.
    let foreign = respond(&mut one, &asked, json!("confirm")).await;
    assert_eq!(foreign, json!({"accepted": false, "reason": "unknown_callback"}));
    server.say(question("b", &first));
    let own = callback(&mut one).await;
    assert_eq!(respond(&mut one, &own, json!("decline")).await, json!({"accepted": true}));
    assert_eq!(respond(&mut other, &asked, json!("confirm")).await, json!({"accepted": true}));
    assert_eq!(response(&server, "a", 1).await, "confirm");
    assert_eq!(response(&server, "b", 1).await, "decline");
    other.settle().await;
    assert_eq!(other.count(ASKS), 0);
}

#[tokio::test]
async fn without_a_call_that_it_belongs_to_a_callback_is_refused_with_the_reason() {
    let server = silent();
    let setup = setup(&server, &HostFeature::ALL).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    server.say(question("a", &Value::Null));
    let told = refusal(&server, "a", 1).await;
    assert!(told.contains("no call is under way"), "{told}");
    let call = host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
    server.has_read("tools/call", 1).await;
    for (id, request_id) in [("b", json!(4711)), ("c", json!("seven"))] {
        server.say(question(id, &request_id));
        let told = refusal(&server, id, 1).await;
        assert_eq!(
            told,
            format!("invalid request_id: expected the id of a request under way, found {request_id}")
        );
    }
    // The kernel knows the call, and asks nobody for one that is over.
    let own = server.read_of("tools/call")[0].clone();
    server.say(text(&own, "done"));
    host.answer_to(call).await;
    server.say(question("d", &own["id"]));
    refusal(&server, "d", 1).await;
    let mut long = question("e", &Value::Null);
    long["params"]["message"] = "x".repeat(65_536).into();
    server.say(long);
    let told = refusal(&server, "e", 1).await;
    assert!(told.contains("at most 65536 bytes"), "{told}");
    server.say(says(None, ASKS, json!({"callback_id": "f", "type": "riddle", "message": "?"})));
    let told = refusal(&server, "f", 1).await;
    assert!(told.contains("type"), "{told}");
    assert_eq!(host.count(ASKS), 0);
}

#[tokio::test]
async fn a_repeated_callback_is_asked_once_and_then_gets_the_recorded_answer() {
    let server = silent();
    let (setup, mut host, own, call) = calling(&server).await;
    let other = |message: &str| {
        let mut other = question("a", &own);
        other["params"]["message"] = message.into();
        other
    };
    server.say(question("a", &own));
    let asked = callback(&mut host).await;
    server.say(question("a", &own));
    server.say(other("Another?"));
    let problem =
        r#"invalid callback_id: expected the id of no other question of this connection, found "a""#;
    assert_eq!(refusal(&server, "a", 1).await, problem);
    respond(&mut host, &asked, json!("confirm")).await;
    assert_eq!(response(&server, "a", 2).await, "confirm");
    host.settle().await;
    server.say(question("a", &own));
    assert_eq!(response(&server, "a", 3).await, "confirm");
    server.say(other("A third?"));
    assert_eq!(refusal(&server, "a", 4).await, problem);
    // Also after the end of the call.
    server.say(text(&server.read_of("tools/call")[0], "done"));
    host.answer_to(call).await;
    server.say(question("a", &own));
    assert_eq!(response(&server, "a", 5).await, "confirm");
    host.settle().await;
    assert_eq!((host.count(ASKS), server.read_of(RESPOND).len()), (0, 5));
    assert_eq!(events(&setup, HOST_ASKED, "method"), [format!("SUCCESS {ASKS}")]);
}

#[tokio::test]
async fn a_recorded_answer_is_not_given_to_the_question_for_another_host() {
    let server = silent();
    let (setup, mut one, _, call) = calling(&server).await;
    server.say(question("a", &Value::Null));
    let asked = callback(&mut one).await;
    respond(&mut one, &asked, json!("confirm")).await;
    assert_eq!(response(&server, "a", 1).await, "confirm");
    server.say(text(&server.read_of("tools/call")[0], "done"));
    one.answer_to(call).await;
    let (mut other, ..) = caller(&setup, &server, 2).await;
    server.say(question("a", &Value::Null));
    let told = refusal(&server, "a", 2).await;
    assert!(told.starts_with("invalid callback_id"), "{told}");
    other.settle().await;
    assert_eq!(other.count(ASKS), 0);
}

#[tokio::test]
async fn a_recorded_answer_ends_with_the_connection_to_its_server() {
    let server = silent();
    let mut spec = server.spec("srv");
    spec.restart = RestartConfig {
        restart_policy: RestartPolicy::Always,
        max_restarts: 5,
        restart_window_secs: 300,
        backoff_base_ms: 1,
        backoff_max_ms: 2,
    };
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let mut ids = Vec::new();
    for connection in 1..=2 {
        let (mut host, own, _) = caller(&setup, &server, connection).await;
        server.say(question("a", &own));
        ids.push(own);
        let asked = callback(&mut host).await;
        let word = ["confirm", "decline"][connection - 1];
        respond(&mut host, &asked, json!(word)).await;
        assert_eq!(response(&server, "a", connection).await, word);
        server.hang_up();
        server.has_read("initialize", connection + 1).await;
        within(async {
            while setup.kernel.servers()[0].status().state != mgp_types::lifecycle::ServerState::Connected {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
    assert_eq!(ids[0], ids[1], "the calls have the same id, each on its own connection");
}

#[tokio::test]
async fn a_late_answer_is_told_so_and_the_server_does_not_wait_for_it() {
    for (own_limit, limit) in [(Value::Null, 300), (json!(200), 200), (json!(60_000), 300)] {
        let server = silent();
        let mut spec = server.spec("srv");
        spec.question_timeout = Duration::from_millis(300);
        let setup = start(|kernel, _| kernel.server(spec)).await;
        let (mut host, own, _) = caller(&setup, &server, 1).await;
        let mut asked = question("a", &own);
        asked["params"]["timeout_ms"] = own_limit;
        server.say(asked);
        assert_eq!(refusal(&server, "a", 1).await, "the host did not answer in time");
        let asked = callback(&mut host).await;
        assert_eq!(asked["timeout_ms"], limit);
        let late = respond(&mut host, &asked, json!("confirm")).await;
        assert_eq!(late, json!({"accepted": false, "reason": "timed_out"}));
        assert_eq!(events(&setup, HOST_ASKED, "method"), [format!("FAILURE {ASKS}")]);
    }
}

#[tokio::test]
async fn a_callback_ends_with_its_call() {
    for is_cancelled in [true, false] {
        let server = silent();
        let (_setup, mut host, own, call) = calling(&server).await;
        server.say(question("a", &own));
        let asked = callback(&mut host).await;
        if is_cancelled {
            let params = json!({"requestId": call});
            host.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
        } else {
            server.say(text(&server.read_of("tools/call")[0], "done"));
            host.answer_to(call).await;
        }
        assert_eq!(refusal(&server, "a", 1).await, "the call that this was asked for is over");
        let late = respond(&mut host, &asked, json!("confirm")).await;
        assert_eq!(late, json!({"accepted": false, "reason": "cancelled"}));
    }
}

#[tokio::test]
async fn at_most_32_callbacks_of_a_server_are_open_and_those_without_a_call_take_no_place() {
    let server = silent();
    let (_setup, mut host, own, _) = calling(&server).await;
    for number in 0..32 {
        server.say(question(&format!("a{number}"), &own));
        callback(&mut host).await;
    }
    server.say(question("b", &own));
    let told = refusal(&server, "b", 1).await;
    assert_eq!(told, "too many callbacks at once: at most 32 of a server wait for hosts");
    assert_eq!(respond(&mut host, &json!({"callback_id": "cb-7"}), json!("confirm")).await["accepted"], true);
    response(&server, "a6", 1).await;
    for number in 0..40 {
        let id = format!("c{number}");
        server.say(question(&id, &json!(4711)));
        refusal(&server, &id, 1).await;
    }
    server.say(question("d", &own));
    assert_eq!(callback(&mut host).await["callback_id"], "cb-33");
}

#[tokio::test]
async fn a_flood_of_callbacks_is_answered_within_bounds_and_warned_of_once_a_second_with_their_number() {
    let (warnings, _guard) = log::keep();
    // It takes no answer.
    let mgp = json!({"version": "0.3.0", "extensions": ["bidirectional", "streaming"]});
    let server =
        RawServer::new(Era::Initialize, json!({"tools": {}, "mgp": mgp}), |message| match message["method"]
            .as_str()
        {
            Some("mgp/callback/respond") => Some(Vec::new()),
            Some(method) if method.starts_with("mgp/") => Some(vec![error(message, -32601, "not here")]),
            _ => None,
        });
    let _setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    server.has_read("initialize", 1).await;
    idle().await;
    tokio::time::pause();
    let floods = async || {
        for n in 0..100 {
            let params = json!({"callback_id": format!("cb-{n}"), "type": "confirmation", "message": "?"});
            server.say(says(None, ASKS, params));
        }
        // The clock moves once there is nothing to do.
        tokio::time::sleep(Duration::from_millis(500)).await;
        server.read_of("mgp/callback/respond").len()
    };
    let said = || -> Vec<_> {
        let of_callbacks = warnings.take().into_iter().filter(|said| said.message.contains("callback"));
        of_callbacks.map(|said| said.text).collect()
    };
    assert_eq!(floods().await, 64);
    let first = said();
    assert!(first.len() == 1 && first[0].contains("left_out=0"), "{first:?}");
    assert!(first[0].contains("cb-0") && first[0].contains("confirmation"), "{first:?}");
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(floods().await, 64);
    let second = said();
    assert!(second.len() == 1 && second[0].contains("left_out=99"), "{second:?}");
    // An answer that is not taken has its time, and leaves its place to others.
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(floods().await, 128);
}

#[tokio::test]
async fn a_registered_server_asks_nobody() {
    let server = asks("confirmation", Value::Null);
    let reached = server.clone();
    let setup = start(|kernel, _| {
        let kernel = kernel.registrars([registration::BUILDER]).exposure(Exposure::Full);
        kernel.reach_registered(move |_| Ok(reached.spec("x").endpoint))
    })
    .await;
    let mut host = registration::builder(&setup).await;
    registration::register(&mut host, "made").await;
    setup.knows(&["made"]).await;
    setup.kernel.access().put(server_rule(registration::BUILDER, "made")).await.unwrap();
    let hello = server.has_read("initialize", 1).await.remove(0);
    assert!(!offered(&hello["params"]["capabilities"]).contains(&"callbacks"), "{hello}");
    let told = worked(&mut host).await;
    assert!(told.contains("not allowed") && host.count(ASKS) == 0, "{told}");
}

#[tokio::test]
async fn callbacks_are_offered_to_hosts_and_to_servers_that_may_ask() {
    for (features, offers) in [(&HostFeature::ALL[..], true), (&[HostFeature::Elicitation][..], false)] {
        let server = silent();
        let setup = setup(&server, features).await;
        let hello = server.has_read("initialize", 1).await.remove(0);
        assert_eq!(offered(&hello["params"]["capabilities"]).contains(&"callbacks"), offers);
        let host = setup.raw_host(As::mgp(Era::Initialize)).await;
        assert!(offered(&host.greeting["result"]["capabilities"]).contains(&"callbacks"));
    }
}

#[tokio::test]
async fn what_a_server_asks_that_no_host_answers_is_an_unknown_method_with_and_without_a_call() {
    let server = silent();
    let (_setup, _host, ..) = calling(&server).await;
    for (id, method) in [(90, "mgp/callback/respond"), (91, "mgp/events/subscribe")] {
        server.say(says(Some(id), method, json!({"callback_id": "cb", "response": 1})));
        let answer = server.reads(|message| message["id"] == id && message.get("method").is_none(), 1).await;
        assert_eq!(answer[0]["error"]["code"], -32601, "{}", answer[0]);
    }
}
