//! Calls of stateless hosts that wait for answers: the callers that can continue them, and the end of those that nobody continues.

use crate::{
    raw_host::{As, RawHost, all},
    raw_server::{RawServer, says, text},
    support::{Setup, pause_clock, server_rule, start, until},
};
use mgp_kernel::{Era, ParkedCalls};
use mgp_security::profile::Confirmation;
use mgp_transport::seam::{Decision, ToolCall};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::{
    sync::{Arc, Weak},
    time::Duration,
};

/// Returns a legacy server whose tool asks one form, and answers with the reply to the form.
fn asking() -> RawServer {
    let calls = Mutex::new(Vec::new());
    RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| match message["method"].as_str() {
        Some("tools/call") => {
            let mut calls = calls.lock();
            calls.push(message.clone());
            let id = i64::try_from(calls.len()).unwrap() + 100;
            let params = json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}});
            Some(vec![says(Some(id), "elicitation/create", params)])
        }
        None => {
            let at = usize::try_from(message["id"].as_i64()? - 101).ok()?;
            let heard = message.get("result").unwrap_or(&message["error"]);
            Some(vec![text(&calls.lock()[at], &heard.to_string())])
        }
        _ => None,
    })
}

/// Starts a kernel in front of a server and of another one of its kind, with bounds on parked calls.
async fn kernel(server: &RawServer, bounds: ParkedCalls) -> Setup {
    kernel_for(server, bounds, 900_000).await
}

/// Starts such a kernel, with a lifetime of parked calls.
async fn kernel_for(server: &RawServer, bounds: ParkedCalls, lifetime_ms: u64) -> Setup {
    let (one, two) = (server.spec("srv"), asking().spec("two"));
    let setup = start(|kernel, _| {
        let kernel = kernel.server(one).server(two).program(|program| program.parked_calls = bounds);
        kernel.config(|config| config.kernel.question_timeout_ms = lifetime_ms)
    })
    .await;
    for agent in ["agent.test", "agent.other"] {
        setup.kernel.access().put(server_rule(agent, "srv")).await.unwrap();
    }
    setup
}

fn bounds(set: impl FnOnce(&mut ParkedCalls)) -> ParkedCalls {
    let mut bounds = ParkedCalls::default();
    set(&mut bounds);
    bounds
}

async fn host(setup: &Setup) -> RawHost {
    setup.raw_host(As::plain(Era::Stateless)).await
}

fn call() -> Value {
    json!({"name": "work", "arguments": {"a": 1, "b": [2]}})
}

/// Returns the params of a call to the other server, for a second host: if two hosts called one legacy server, nobody could tell
/// which of the hosts a question of the server is for.
fn at_the_other_server() -> Value {
    json!({"name": "two__work", "arguments": {}})
}

/// Sends a request that is answered with questions. Returns the params of the next round, with an answer to each.
async fn park(host: &mut RawHost, params: &Value) -> Value {
    let answer = host.once("tools/call", params.clone()).await;
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    host.with_answers(params, &answer["result"])
}

async fn refused(host: &mut RawHost, params: Value) -> String {
    let answer = host.once("tools/call", params).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    answer["error"]["message"].as_str().unwrap().to_owned()
}

async fn done(host: &mut RawHost, params: Value) -> String {
    let answer = host.once("tools/call", params).await;
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[tokio::test]
async fn nobody_else_can_continue_a_parked_call_with_its_state() {
    let server = asking();
    let setup = kernel(&server, ParkedCalls::default()).await;
    let (mut host, mut other) =
        (host(&setup).await, setup.raw_host(As::plain(Era::Stateless).of("agent.other")).await);
    let again = park(&mut host, &call()).await;
    let stolen = refused(&mut other, again.clone()).await;
    let mut unknown = again.clone();
    unknown["requestState"] = "0".into();
    assert_eq!(stolen, refused(&mut other, unknown).await, "it is not told that there is such a call");
    // The same agent on another connection is the same caller.
    let mut same = setup.raw_host(As::plain(Era::Stateless)).await;
    assert!(done(&mut same, again).await.contains("Ann"));
    assert_eq!(setup.calls(), ["TOOL_EXECUTED SUCCESS srv.work"]);
}

#[tokio::test]
async fn a_state_is_valid_once_unchanged_and_for_its_own_request() {
    let server = asking();
    let setup = kernel(&server, ParkedCalls::default()).await;
    let mut host = host(&setup).await;
    let again = park(&mut host, &call()).await;
    let with = |change: &dyn Fn(&mut Value)| {
        let mut params = again.clone();
        change(&mut params);
        params
    };
    for other in [
        with(&|params| params["arguments"] = json!({"a": 2, "b": [2]})),
        with(&|params| params["arguments"] = json!({"a": 1, "b": [2], "c": 3})),
        with(&|params| drop(params.as_object_mut().unwrap().remove("arguments"))),
        with(&|params| params["name"] = "srv__work".into()),
        with(&|params| {
            params["requestState"] = format!("{}0", params["requestState"].as_str().unwrap()).into();
        }),
        with(&|params| params["requestState"] = "".into()),
        with(&|params| params["requestState"] = json!(7)),
        with(&|params| params["inputResponses"] = json!([])),
    ] {
        refused(&mut host, other).await;
    }
    let answer =
        host.once("prompts/get", json!({"name": "work", "requestState": again["requestState"]})).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    // The order of members may be another one.
    let reordered = with(&|params| params["arguments"] = serde_json::from_str(r#"{"b":[2],"a":1}"#).unwrap());
    assert!(done(&mut host, reordered).await.contains("Ann"));
    refused(&mut host, again).await;
    assert_eq!(setup.calls().len(), 1, "what was refused ran no tool");
}

#[tokio::test]
async fn one_principal_s_parked_calls_are_bounded() {
    let server = asking();
    let setup = kernel(&server, bounds(|bounds| bounds.most_of_one = 2)).await;
    let (mut host, mut other) =
        (host(&setup).await, setup.raw_host(As::plain(Era::Stateless).of("agent.other")).await);
    let first = park(&mut host, &call()).await;
    park(&mut host, &call()).await;
    let answer = host.once("tools/call", call()).await;
    assert!(answer["error"]["message"].as_str().unwrap().contains("too many calls"), "{answer}");
    let third = server.read_of("tools/call")[2]["id"].clone();
    let cancelled = server.has_read("notifications/cancelled", 1).await;
    assert_eq!(cancelled[0]["params"]["requestId"], third);
    park(&mut other, &at_the_other_server()).await;
    done(&mut host, first).await;
    park(&mut host, &call()).await;
}

#[tokio::test]
async fn the_parked_calls_of_all_principals_are_bounded() {
    let server = asking();
    let setup = kernel(&server, bounds(|bounds| bounds.most = 1)).await;
    let (mut host, mut other) =
        (host(&setup).await, setup.raw_host(As::plain(Era::Stateless).of("agent.other")).await);
    park(&mut host, &call()).await;
    let answer = other.once("tools/call", at_the_other_server()).await;
    assert!(answer["error"]["message"].as_str().unwrap().contains("too many calls"), "{answer}");
}

#[tokio::test]
async fn a_parked_call_that_times_out_is_cancelled_at_the_server() {
    let server = asking();
    let setup = kernel_for(&server, ParkedCalls::default(), 100).await;
    let mut host = host(&setup).await;
    let again = park(&mut host, &call()).await;
    server.has_read("notifications/cancelled", 1).await;
    refused(&mut host, again).await;
    assert_eq!(setup.calls_recorded(1).await, ["TOOL_EXECUTED FAILURE srv.work"]);
}

#[tokio::test]
async fn a_cancelled_request_cancels_the_call_at_the_server() {
    // The second question comes late, so that the host's second request is under way when it is cancelled.
    let server =
        RawServer::new(Era::Initialize, json!({"tools": {}}), |message| match message["method"].as_str() {
            Some("tools/call") => {
                let params =
                    json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}});
                Some(vec![says(Some(1), "elicitation/create", params)])
            }
            _ => None,
        });
    let setup = kernel(&server, ParkedCalls::default()).await;
    let mut host = host(&setup).await;
    let again = park(&mut host, &call()).await;
    let id = host.send("tools/call", again).await;
    server.reads(|message| message["id"] == 1 && message.get("result").is_some(), 1).await;
    host.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}))
        .await;
    let cancelled = server.has_read("notifications/cancelled", 1).await;
    assert_eq!(cancelled[0]["params"]["requestId"], server.read_of("tools/call")[0]["id"]);
    assert_eq!(setup.calls_recorded(1).await, ["TOOL_EXECUTED FAILURE srv.work"]);
    host.settle().await;
    assert!(host.read.iter().all(|message| message["id"] != id), "{:?}", host.read);
}

#[tokio::test]
async fn a_lost_server_ends_a_parked_call_with_an_error() {
    let server = asking();
    let setup = kernel(&server, ParkedCalls::default()).await;
    let mut host = host(&setup).await;
    let again = park(&mut host, &call()).await;
    server.hang_up();
    assert_eq!(setup.calls_recorded(1).await, ["TOOL_EXECUTED FAILURE srv.work"]);
    let answer = host.once("tools/call", again.clone()).await;
    assert!(answer.get("error").is_some(), "{answer}");
    refused(&mut host, again).await;
}

#[tokio::test]
async fn the_time_limit_of_a_call_pauses_while_its_host_is_asked() {
    let form = json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}});
    // The server never answers its call.
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        (message["method"] == "tools/call").then(|| vec![says(Some(101), "elicitation/create", form.clone())])
    });
    let mut spec = server.spec("srv");
    spec.call_timeout = Duration::from_millis(200);
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let mut host = host(&setup).await;
    let _paused = pause_clock();
    let again = park(&mut host, &call()).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let answer = host.once("tools/call", again).await;
    assert!(answer["error"]["message"].as_str().unwrap().contains("time limit"), "{answer}");
    let heard = server.reads(|message| message["id"] == 101, 1).await;
    assert_eq!(heard[0]["result"]["action"], "accept", "the call was still there");
    assert_eq!(setup.calls_recorded(1).await, ["TOOL_EXECUTED FAILURE srv.work"]);
}

#[tokio::test]
async fn a_question_without_a_timely_answer_ends_its_call() {
    let server = asking();
    let mut spec = server.spec("srv");
    spec.question_timeout = Duration::from_millis(50);
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let mut host = host(&setup).await;
    let _paused = pause_clock();
    let again = park(&mut host, &call()).await;
    assert_eq!(setup.calls_recorded(1).await, ["TOOL_EXECUTED SUCCESS srv.work"]);
    let heard = done(&mut host, again).await;
    assert!(heard.contains("did not answer in time"), "{heard}");
}

#[tokio::test]
async fn missing_answers_are_requested_again_and_others_ignored() {
    let server = asking();
    let setup = kernel(&server, ParkedCalls::default()).await;
    let mut host = host(&setup).await;
    let mut params = call();
    let mut keys = None;
    for responses in [json!({}), json!({"other": {"action": "accept"}, "elicitation/create": 1})] {
        let again = park(&mut host, &params).await;
        let asked: Vec<_> = again["inputResponses"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys.get_or_insert_with(|| asked.clone()), &asked, "the same question");
        params = call();
        params["requestState"] = again["requestState"].clone();
        params["inputResponses"] = responses;
    }
    let mut again = park(&mut host, &params).await;
    again["inputResponses"][&keys.unwrap()[0]] = json!({"action": 7});
    assert_eq!(done(&mut host, again).await, r#"{"action":7}"#);
    assert_eq!(server.read_of("tools/call").len(), 1, "the call went on all the time");
}

#[tokio::test]
async fn messages_after_a_round_name_the_waiting_request() {
    let calls = Mutex::new(Value::Null);
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        let progress = |call: &Value, step| {
            says(
                None,
                "notifications/progress",
                json!({"progressToken": call["params"]["_meta"]["progressToken"], "progress": step}),
            )
        };
        match message["method"].as_str() {
            Some("tools/call") => {
                *calls.lock() = message.clone();
                let form =
                    json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}});
                Some(vec![progress(message, 1), says(Some(101), "elicitation/create", form)])
            }
            None if message["id"] == 101 => {
                let call = calls.lock();
                Some(vec![progress(&call, 2), text(&call, "done")])
            }
            _ => None,
        }
    });
    let setup = kernel(&server, ParkedCalls::default()).await;
    let mut host = host(&setup).await;
    let mut params = call();
    params["_meta"]["progressToken"] = "first".into();
    let mut again = park(&mut host, &params).await;
    again["_meta"]["progressToken"] = "second".into();
    assert_eq!(done(&mut host, again).await, "done");
    let told: Vec<_> = host.heard.iter().map(|heard| heard["params"].clone()).collect();
    let expected =
        json!([{"progressToken": "first", "progress": 1}, {"progressToken": "second", "progress": 2}]);
    assert_eq!(json!(told), expected);
}

#[tokio::test]
async fn the_kernel_s_own_question_cannot_be_answered_in_advance() {
    let server = asking();
    let mut spec = server.spec("srv");
    spec.confirmation = Some(Confirmation::Always);
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let mut host = host(&setup).await;
    let asked = host.once("tools/call", call()).await["result"].clone();
    let (key, question) = asked["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert!(question["params"]["message"].as_str().unwrap().starts_with("[mgp kernel]"), "{question}");
    let mut params = call();
    params["inputResponses"] = json!({key: {"action": "accept", "content": {"decision": "once"}}});
    let answer = host.once("tools/call", params).await;
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    assert_eq!(server.read_of("tools/call"), [] as [Value; 0]);
}

#[tokio::test]
async fn a_question_that_its_server_cancels_is_not_asked() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        match message["method"].as_str() {
            Some("tools/call") => {
                let form = |text: &str| json!({"message": text, "requestedSchema": {"type": "object", "properties": {}}});
                Some(vec![
                    says(Some(1), "elicitation/create", form("Taken back")),
                    says(Some(2), "elicitation/create", form("Stays")),
                    says(None, "notifications/cancelled", json!({"requestId": 1})),
                ])
            }
            _ => None,
        }
    });
    let setup = kernel(&server, ParkedCalls::default()).await;
    let mut host = setup.raw_host(As::plain(Era::Stateless).can(all())).await;
    park(&mut host, &call()).await;
    let asked: Vec<_> = host.asked.iter().map(|(_, asked)| asked["message"].as_str().unwrap()).collect();
    assert_eq!(asked, ["[srv] Stays"]);
    assert_eq!(host.heard, Vec::<Value>::new());
}

#[derive(Debug)]
struct Marker;

#[tokio::test]
async fn nothing_is_kept_of_a_call_that_has_ended() {
    let marked = Arc::new(Mutex::new(Vec::new()));
    let marks = marked.clone();
    // Puts a mark into the session of each call, and so into everything that the call is made of.
    let mark = move |call: &ToolCall| {
        if let Some(session) = call.session() {
            let marker = Arc::new(Marker);
            marks.lock().push(Arc::downgrade(&marker));
            session.set(marker);
        }
        Decision::Allow
    };
    let server = asking();
    let setup = start(|kernel, _| kernel.server(server.spec("srv")).gate(mark)).await;
    let mut host = host(&setup).await;
    let again = park(&mut host, &call()).await;
    done(&mut host, again).await;
    // A call that nobody continues, and that ends with its server.
    let again = park(&mut host, &call()).await;
    server.hang_up();
    setup.calls_recorded(2).await;
    host.once("tools/call", again).await;
    let kept = || marked.lock().iter().filter(|mark: &&Weak<Marker>| mark.upgrade().is_some()).count();
    assert_eq!(marked.lock().len(), 2);
    until(|| kept() == 0).await;
}
