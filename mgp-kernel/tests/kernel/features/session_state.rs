//! The state that a server gives a session: kept for hosts that do not keep it, and passed through for those that do.

use crate::{
    raw_host::{As, ERAS, RawHost, all},
    raw_server::{RawServer, error, result},
    support::{Setup, agents, full, jump, start, until},
};
use mgp_kernel::{AskHost, Endpoint, Era, EraChoice, InProcess, ServerSpec};
use mgp_types::{access::DefaultPolicy, context::Principal};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// A server that answers each call with what it wants, and tells what the call brought.
#[derive(Clone, Default)]
pub(crate) struct Stateful(Arc<Mutex<Option<Value>>>);

impl Stateful {
    pub(crate) fn server(&self) -> RawServer {
        let wanted = self.0.clone();
        RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
            if message["method"] != "tools/call" {
                return None;
            }
            let brought = message["params"]["_meta"].get("session_state").cloned();
            if brought == Some(json!("sealed before")) {
                let mut refused = error(message, -32602, "session_state: another key sealed it");
                refused["error"]["data"] = json!({"session_state": "foreign"});
                return Some(vec![refused]);
            }
            if brought == Some(json!("stale")) {
                return Some(vec![error(message, -32602, "session_state: it has expired")]);
            }
            let mut answer = json!({"content": [{"type": "text", "text": json!(brought).to_string()}]});
            if let Some(gives) = &*wanted.lock() {
                answer["_meta"] = json!({"session_state": gives});
            }
            Some(vec![result(message, answer)])
        })
    }

    /// Sets the state that the next results give; `None` for none.
    pub(crate) fn gives(&self, state: Option<Value>) {
        *self.0.lock() = state;
    }

    async fn kernel(&self) -> Setup {
        let spec = self.server().spec("raw");
        start(|kernel, _| kernel.server(spec)).await
    }
}

/// Calls the tool, and returns what it was brought.
pub(crate) async fn brought(host: &mut RawHost) -> String {
    host.text("work", json!({})).await
}

fn bringing(state: Value) -> Value {
    json!({"name": "work", "arguments": {}, "_meta": {"session_state": state}})
}

#[tokio::test]
async fn a_session_state_is_sent_with_the_next_call_of_its_session() {
    let server = Stateful::default();
    let setup = server.kernel().await;
    for this in [As::plain(Era::Initialize), As::mgp(Era::Initialize)] {
        let mut host = setup.raw_host(this).await;
        server.gives(Some(json!("one")));
        assert_eq!(brought(&mut host).await, "null");
        server.gives(None);
        assert_eq!(brought(&mut host).await, r#""one""#);
        assert_eq!(brought(&mut host).await, r#""one""#, "a result that gives none changes nothing");
        let mut other = setup.raw_host(As::plain(Era::Initialize)).await;
        assert_eq!(brought(&mut other).await, "null");
        server.gives(Some(json!("two")));
        assert_eq!(brought(&mut host).await, r#""one""#);
        server.gives(Some(Value::Null));
        assert_eq!(brought(&mut host).await, r#""two""#);
        assert_eq!(brought(&mut host).await, "null", "the server ended the session");
    }
}

#[tokio::test]
async fn a_host_that_keeps_its_own_state_is_left_alone() {
    let server = Stateful::default();
    let setup = server.kernel().await;
    for era in ERAS {
        let mut host = setup.raw_host(As::plain(era)).await;
        server.gives(Some(json!("new")));
        let answer = host.get("tools/call", bringing(json!("mine"))).await;
        assert_eq!(
            (&answer["content"][0]["text"], &answer["_meta"]["session_state"]),
            (&json!("\"mine\""), &json!("new"))
        );
        server.gives(None);
        assert_eq!(host.get("tools/call", bringing(Value::Null)).await["content"][0]["text"], "null");
        assert_eq!(brought(&mut host).await, "null", "nothing was kept");
        for (wrong, problem) in [
            (json!("x".repeat(64 * 1024 + 1)), "expected at most 65536 bytes, found 65537"),
            (json!(7), "expected a string or null, found a number"),
        ] {
            let refused = host.refused("tools/call", bringing(wrong)).await;
            let message = refused["message"].as_str().unwrap();
            assert!(refused["code"] == -32602 && message.contains(problem), "{refused}");
            assert!(message.ends_with("call the tool without it to begin a new session"), "{refused}");
        }
    }
}

#[tokio::test]
async fn a_state_that_its_server_refuses_is_forgotten() {
    let server = Stateful::default();
    let setup = server.kernel().await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    server.gives(Some(json!("stale")));
    brought(&mut host).await;
    server.gives(None);
    let refused = host.refused("tools/call", json!({"name": "work", "arguments": {}})).await;
    assert_eq!(refused["message"], "session_state: it has expired");
    assert_eq!(brought(&mut host).await, "null");
}

#[tokio::test]
async fn a_state_lost_in_a_restart_is_concealed_from_an_unaware_host() {
    let server = Stateful::default();
    let setup = server.kernel().await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    server.gives(Some(json!("sealed before")));
    brought(&mut host).await;
    // From here on the server is one that knows nothing of its former keys.
    server.gives(Some(json!("new")));
    assert_eq!(brought(&mut host).await, "null", "the call was made once more without it");
    assert_eq!(brought(&mut host).await, r#""new""#);
    setup.calls_recorded(3).await;
    let attempts =
        setup.sink.events().into_iter().filter(|event| event.event_type.as_str() == "TOOL_EXECUTED");
    let attempts = attempts.map(|event| event.details.and_then(|details| details.get("attempts").cloned()));
    let attempts: Vec<_> = attempts.flatten().map(|attempts| attempts.as_str().to_owned()).collect();
    assert_eq!(attempts, ["1", "2", "1"]);
    // A host that brings its own hears of it.
    let refused = host.refused("tools/call", bringing(json!("sealed before"))).await;
    assert_eq!(refused["data"]["session_state"], "foreign");
}

#[tokio::test]
async fn a_state_that_is_too_long_is_dropped() {
    let server = Stateful::default();
    let setup = server.kernel().await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    server.gives(Some(json!("x".repeat(64 * 1024 + 1))));
    assert_eq!(host.call("work", json!({})).await.get("_meta"), None);
    assert_eq!(brought(&mut host).await, "null");
    server.gives(Some(json!("x".repeat(64 * 1024))));
    brought(&mut host).await;
    assert_eq!(brought(&mut host).await.len(), 64 * 1024 + 2);
}

#[tokio::test]
async fn a_host_without_a_session_names_one_by_its_handle() {
    let server = Stateful::default();
    let setup = server.kernel().await;
    let mut host = setup.raw_host(As::plain(Era::Stateless)).await;
    server.gives(Some(json!("one")));
    assert_eq!(brought(&mut host).await, "null");
    assert_eq!(brought(&mut host).await, "null", "there is no session to keep it for");
    let told = host.call("mgp_tools_session", json!({})).await;
    let handle = told["structuredContent"]["_mgp"]["session"].clone();
    let named = json!({"name": "work", "arguments": {}, "session": handle});
    assert_eq!(host.text("mgp_tools_call", named.clone()).await, "null");
    assert_eq!(host.text("mgp_tools_call", named.clone()).await, r#""one""#);
    let mut other = setup.raw_host(As::plain(Era::Stateless)).await;
    assert_eq!(
        other.text("mgp_tools_call", named).await,
        r#""one""#,
        "a handle is its principal's, on any connection"
    );
    assert_eq!(brought(&mut other).await, "null");
}

#[tokio::test]
async fn a_state_of_one_agent_is_not_sent_on_behalf_of_another() {
    let server = Stateful::default();
    let spec = server.server().spec("raw");
    let setup = start(|kernel, _| kernel.server(spec).config(agents(["agent.ann", "agent.bob"]))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let of = |agents: &[&str]| json!({"name": "work", "arguments": {}, "_mgp": {"delegation": agents}});
    server.gives(Some(json!("ann's")));
    assert_eq!(host.get("tools/call", of(&["agent.ann"])).await["content"][0]["text"], "null");
    server.gives(None);
    assert_eq!(host.get("tools/call", of(&["agent.bob"])).await["content"][0]["text"], "null");
    assert_eq!(brought(&mut host).await, "null", "nor with the host's own");
    let mine = host.get("tools/call", of(&["agent.ann"])).await;
    assert_eq!(mine["content"][0]["text"], "\"ann's\"");
}

/// Returns a server that gives a session the state `one`, and has one answer for all calls that bring a state.
fn answering_a_state(answer: Value) -> RawServer {
    RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        (message["method"] == "tools/call").then(|| {
            let brings = message["params"]["_meta"]["session_state"].is_string();
            let gives = json!({"content": [], "_meta": {"session_state": "one"}});
            vec![result(message, if brings { answer.clone() } else { gives })]
        })
    })
}

/// Returns the states that the calls of a server brought.
fn states(server: &RawServer) -> Vec<Value> {
    let calls = server.read_of("tools/call").into_iter();
    calls.map(|call| call["params"]["_meta"]["session_state"].clone()).collect()
}

fn failure(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": true})
}

/// Lets time pass.
async fn minutes(count: u64) {
    jump(Duration::from_secs(60 * count)).await;
}

#[tokio::test]
async fn a_refused_state_of_the_proposals_form_is_silently_forgotten() {
    let refusal = json!({"code": "INVALID_INPUT", "message": "Invalid session state token.",
        "category": "invalid_input", "suggestion": "Start a new session without a state token."});
    let server = answering_a_state(json!({"error": refusal}));
    let setup = start(|kernel, _| kernel.server(server.spec("raw"))).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    for _ in 0..2 {
        let answer = host.call("work", json!({})).await;
        assert_eq!(answer["isError"], Value::Null, "{answer}");
    }
    assert_eq!(states(&server), [Value::Null, json!("one"), Value::Null]);
    // A host that brings its own hears of it.
    let refused = host.get("tools/call", bringing(json!("mine"))).await;
    assert_eq!(refused["isError"], true, "{refused}");
    assert_eq!(states(&server).len(), 4);
}

#[tokio::test]
async fn a_failed_result_that_names_the_state_is_not_repeated() {
    let meta = json!({"dev.cloto/result": {"status": "failure", "error": {"error_type": "ValidationError",
        "error_message": "no", "error_details": {"code": "INVALID_INPUT"}}}});
    let mut detailed = failure("session_state is invalid");
    detailed["_meta"] = meta;
    let mut renewing = failure("the session state token was old");
    renewing["_meta"] = json!({"session_state": "two"});
    for (answer, next) in [
        (failure("Error executing tool work: Invalid session state token"), Value::Null),
        // The tool may have begun, whatever it says of its input.
        (detailed, Value::Null),
        (renewing, json!("two")),
        (failure("no such ticket"), json!("one")),
    ] {
        let server = answering_a_state(answer.clone());
        let setup = start(|kernel, _| kernel.server(server.spec("raw"))).await;
        let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
        host.call("work", json!({})).await;
        assert_eq!(host.call("work", json!({})).await["isError"], true, "{answer}");
        host.call("work", json!({})).await;
        assert_eq!(states(&server), [Value::Null, json!("one"), next], "{answer}");
    }
}

#[tokio::test]
async fn a_state_is_kept_for_an_hour_after_the_last_successful_call() {
    for (answer, next) in [(failure("no such ticket"), Value::Null), (json!({"content": []}), json!("one"))] {
        let server = answering_a_state(answer);
        let setup = start(|kernel, _| kernel.server(server.spec("raw"))).await;
        let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
        host.call("work", json!({})).await;
        for _ in 0..2 {
            minutes(40).await;
            host.call("work", json!({})).await;
        }
        assert_eq!(states(&server), [Value::Null, json!("one"), next]);
    }
}

#[tokio::test]
async fn a_state_next_to_an_error_or_bare_data_is_kept_and_not_data() {
    for answer in [json!({"deleted": true}), json!({"error": {"code": "LOCKED", "message": "in use"}})] {
        let data = answer.get("deleted").map_or(Value::Null, |_| answer.clone());
        let server = RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
            (message["method"] == "tools/call").then(|| {
                let mut answer = answer.clone();
                let bytes = message["params"]["arguments"]["bytes"].as_u64().unwrap();
                answer["session_state"] = "x".repeat(usize::try_from(bytes).unwrap()).into();
                vec![result(message, answer)]
            })
        });
        let setup = start(|kernel, _| kernel.server(server.spec("raw"))).await;
        let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
        for (bytes, told) in [(64 * 1024 + 1, Value::Null), (1, json!("x")), (1, json!("x"))] {
            let answer = host.call("work", json!({"bytes": bytes})).await;
            assert_eq!(
                (&answer["structuredContent"], &answer["_meta"]["session_state"]),
                (&data, &told),
                "{bytes}"
            );
        }
        assert_eq!(states(&server), [Value::Null, Value::Null, json!("x")]);
    }
}

#[tokio::test]
async fn a_call_that_waited_for_a_confirmation_sends_the_newest_state() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        (message["method"] == "tools/call").then(|| {
            let params = &message["params"];
            let answer = match (params["arguments"]["asks"] == true, params["user_confirmed"] == true) {
                (true, false) => result(message, json!({"requires_confirmation": true, "tool": "work"})),
                (true, true) => error(message, -32602, "session_state: it has expired"),
                (false, _) => {
                    let gives = &params["arguments"]["gives"];
                    result(message, json!({"content": [], "_meta": {"session_state": gives}}))
                }
            };
            vec![answer]
        })
    });
    let setup = start(|kernel, _| kernel.server(server.spec("raw")).approver(AskHost::new())).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.call("work", json!({"gives": "one"})).await;
    let waiting = host.send("tools/call", json!({"name": "work", "arguments": {"asks": true}})).await;
    let question = loop {
        let message = host.message().await;
        if message["method"] == "elicitation/create" {
            break message["id"].clone();
        }
    };
    host.call("work", json!({"gives": "two"})).await;
    let agrees = json!({"action": "accept", "content": {"decision": "once"}});
    host.say(json!({"jsonrpc": "2.0", "id": question, "result": agrees})).await;
    let refused = host.answer_to(waiting).await;
    assert_eq!(refused["error"]["message"], "session_state: it has expired", "{refused}");
    host.call("work", json!({"gives": "three"})).await;
    let (one, two) = (json!("one"), json!("two"));
    assert_eq!(states(&server), [Value::Null, one.clone(), one, two, Value::Null]);
}

#[tokio::test]
async fn only_another_kernel_learns_that_a_session_has_no_state() {
    for (server_id, told) in [("mgp.kernel", Some(Value::Null)), ("notes", None)] {
        let mgp = json!({"version": "0.3.0", "extensions": ["lifecycle"], "server_id": server_id});
        let server = RawServer::new(Era::Initialize, json!({"tools": {}, "mgp": mgp}), |message| {
            (message["method"] == "tools/call").then(|| vec![result(message, json!({"content": []}))])
        });
        let setup = start(|kernel, _| kernel.server(server.spec("raw"))).await;
        let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
        host.call("work", json!({})).await;
        let called = &server.read_of("tools/call")[0]["params"];
        assert_eq!(called["_meta"].get("session_state"), told.as_ref(), "{called}");
    }
}

#[tokio::test]
async fn a_kernel_behind_a_kernel_shares_no_state_between_hosts() {
    let server = Stateful::default();
    let spec = server.server().spec("raw");
    let inner = start(|kernel, _| kernel.server(spec).config(full)).await;
    let face = inner.kernel.face().clone();
    let connect = move || face.in_process(Principal::agent("agent.test"));
    let mut spec = ServerSpec::new("inner", Endpoint::InProcess(InProcess::new(connect)));
    spec.default_policy = DefaultPolicy::OptOut;
    spec.era = EraChoice::Known(Era::Initialize);
    let outer = start(|kernel, _| kernel.server(spec)).await;
    let mut ann = outer.raw_host(As::plain(Era::Initialize)).await;
    server.gives(Some(json!("ann's")));
    assert_eq!(brought(&mut ann).await, "null");
    server.gives(None);
    for era in ERAS {
        let mut bob = outer.raw_host(As::plain(era)).await;
        assert_eq!(brought(&mut bob).await, "null");
    }
    assert_eq!(brought(&mut ann).await, r#""ann's""#);
    // The call that is made again without a state brings none of another host either.
    server.gives(Some(json!("sealed before")));
    brought(&mut ann).await;
    server.gives(None);
    assert_eq!(brought(&mut ann).await, "null");
}

#[tokio::test]
async fn a_call_with_a_refused_state_is_repeated_with_the_newer_one() {
    let slow = Arc::new(Mutex::new(None::<Value>));
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        let arguments = &message["params"]["arguments"];
        let mut answer = json!({"content": []});
        answer["_meta"]["session_state"] = arguments["gives"].clone();
        (message["method"] == "tools/call").then(|| match arguments["how"].as_str() {
            // Its answer comes later: a refusal of the state that it brought.
            Some("slow") if message["params"]["_meta"]["session_state"] != "three" => {
                *slow.lock() = Some(message.clone());
                Vec::new()
            }
            Some("go") => {
                let mut refused = error(&slow.lock().take().unwrap(), -32602, "session_state: used");
                refused["error"]["data"] = json!({"session_state": "expired"});
                vec![result(message, json!({"content": []})), refused]
            }
            _ => vec![result(message, answer)],
        })
    });
    let setup = start(|kernel, _| kernel.server(server.spec("raw"))).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.call("work", json!({"gives": "one"})).await;
    let arguments = json!({"how": "slow", "gives": "four"});
    let slow = host.send("tools/call", json!({"name": "work", "arguments": arguments})).await;
    for (newer, calls) in [("two", 2), ("three", 5)] {
        until(|| states(&server).len() >= calls).await;
        host.call("work", json!({"gives": newer})).await;
        host.call("work", json!({"how": "go"})).await;
    }
    let answer = host.answer_to(slow).await;
    assert_eq!(answer["result"]["_meta"]["session_state"], "four", "{answer}");
    let [one, two, three] = ["one", "two", "three"].map(Value::from);
    let expected = [Value::Null, one.clone(), one, two.clone(), two.clone(), two, three.clone(), three];
    assert_eq!(states(&server), expected);
}

#[tokio::test]
async fn a_confirmed_call_repeated_for_its_state_stays_confirmed() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let params = &message["params"];
        let answer = || match (
            params["arguments"]["gives"].as_str(),
            params["_meta"]["session_state"].as_str(),
        ) {
            (Some(gives), _) => result(message, json!({"content": [], "_meta": {"session_state": gives}})),
            _ if params["user_confirmed"] != true => result(
                message,
                json!({"status": "confirmation_required", "confirmation_message": "Sure?", "confirmation_token": "c1",
                    "session_state": "two"}),
            ),
            (None, Some(_)) => {
                let mut refused = error(message, -32602, "session_state: expired");
                refused["error"]["data"] = json!({"session_state": "expired"});
                refused
            }
            (None, None) => result(message, json!({"token": params["_meta"]["confirmation_token"]})),
        };
        (message["method"] == "tools/call").then(|| vec![answer()])
    });
    let setup = start(|kernel, _| kernel.server(server.spec("raw")).approver(AskHost::new())).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize).can(all())).await;
    host.says(|_, _| Ok(json!({"action": "accept", "content": {"decision": "once"}})));
    host.call("work", json!({"gives": "one"})).await;
    let made = host.ask("tools/call", json!({"name": "work", "arguments": {}})).await;
    assert_eq!(made["result"]["structuredContent"], json!({"token": "c1"}), "{made}");
    assert_eq!(host.asked.len(), 1);
    assert_eq!(states(&server), [Value::Null, json!("one"), json!("two"), Value::Null]);
}
