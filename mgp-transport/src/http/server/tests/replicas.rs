//! Servers that share sessions.

use super::{
    Stream,
    replica_pair::{Pair, View, World},
    request,
};
use crate::{
    http::server::{
        ApiKey, HttpServerBuilder, HttpServerConfig,
        replicas::{LocalSessions, Replicas},
    },
    seam::{REPLICA_LAPSE, ReplicaStore as _, SessionRecord},
};
use axum::body::Body;
use http::{Request, StatusCode};
use mgp_types::context::Principal;
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, atomic::Ordering::SeqCst},
    time::Duration,
};
use tokio::time::Instant;
use xtask_testing::until;

const ECHO: &str = r#"{"jsonrpc":"2.0","id":5,"method":"echo","params":{"x":1}}"#;

fn named<'a>(session: &'a str, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    [&[("mcp-session-id", session)], more].concat()
}

#[tokio::test]
async fn a_session_is_served_by_its_owner_through_any_replica() {
    let pair = Pair::new();
    let session = pair.a.open().await;
    let (status, text) = pair.b.text(request("POST", &named(&session, &[]), ECHO)).await;
    assert_eq!((status, text.contains(r#""result":{"x":1}"#)), (StatusCode::OK, true), "{text}");
    let steps = Stream::of(pair.b.call(&session, r#"{"jsonrpc":"2.0","id":6,"method":"progress"}"#).await);
    let steps = steps.rest().await;
    assert!(steps.len() == 3 && steps[0].contains("notifications/progress"), "{steps:?}");
    assert!(pair.b.probe.methods.lock().is_empty(), "the owner handles it");
    let (status, _) = pair.b.text(request("DELETE", &named(&session, &[]), "")).await;
    assert_eq!((status, pair.a.server.sessions()), (StatusCode::NO_CONTENT, 0));
    let (status, _) = pair.b.text(request("POST", &named(&session, &[]), ECHO)).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let (status, _) = pair.b.text(request("POST", &named("unknown", &[]), ECHO)).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_forwarded_request_is_never_forwarded_again() {
    let pair = Pair::new();
    let session = pair.a.open().await;
    // The store names another owner, at whose address there is the second replica, which does not have the session either.
    let router = pair.b.server.replica_router();
    pair.world.routers.lock().insert("0c".to_owned(), router);
    for (stored, _) in pair.world.sessions.lock().values_mut() {
        stored.owner = "0c".to_owned();
    }
    let (status, _) = pair.b.text(request("POST", &named(&session, &[]), ECHO)).await;
    // Each attempt of the first replica is one hop.
    assert_eq!((status, pair.forwarded()), (StatusCode::NOT_FOUND, 4));
}

#[tokio::test]
async fn the_owner_checks_the_credentials_again() {
    let key = |key: &'static str| {
        move |builder: HttpServerBuilder| builder.api_key(ApiKey::of(key), Principal::agent("ann"))
    };
    let pair = Pair::with(key("one"), key("two"));
    let open = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#;
    let opened = pair.a.send(request("POST", &[("x-api-key", "one")], open)).await;
    let session = opened.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    let (status, _) = pair.b.text(request("POST", &named(&session, &[("x-api-key", "two")]), ECHO)).await;
    assert_eq!((status, pair.forwarded()), (StatusCode::UNAUTHORIZED, 1));
    assert!(!pair.a.probe.methods.lock().contains(&"echo".to_owned()));
}

#[tokio::test]
async fn the_session_of_another_caller_is_unknown() {
    let keys = |builder: HttpServerBuilder| {
        let ann = builder.api_key(ApiKey::of("ann"), Principal::agent("ann"));
        ann.api_key(ApiKey::of("ben"), Principal::agent("ben"))
    };
    let pair = Pair::with(keys, keys);
    let open = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#;
    let opened = pair.a.send(request("POST", &[("x-api-key", "ann")], open)).await;
    let session = opened.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    for is_gone in [false, true] {
        if is_gone {
            pair.kill_a();
        }
        let (status, _) = pair.b.text(request("POST", &named(&session, &[("x-api-key", "ben")]), ECHO)).await;
        assert_eq!((status, pair.forwarded()), (StatusCode::NOT_FOUND, 0));
        assert!(pair.b.probe.methods.lock().is_empty(), "nothing is restored for another caller");
    }
    let (status, _) = pair.b.text(request("POST", &named(&session, &[("x-api-key", "ann")]), ECHO)).await;
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test]
async fn a_session_of_a_lost_replica_continues_as_it_was() {
    let pair = Pair::new();
    let session = pair.a.open().await;
    for message in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"a:1"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"a:2"}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"resources/unsubscribe","params":{"uri":"a:1"}}"#,
    ] {
        assert!(pair.b.call(&session, message).await.status().is_success());
    }
    pair.kill_a();
    let send = || pair.b.text(request("POST", &named(&session, &[]), ECHO));
    let other = ECHO.replace("\"id\":5", "\"id\":6");
    let beside = pair.b.text(request("POST", &named(&session, &[]), &other));
    let ((status, text), (other, _)) = tokio::join!(send(), beside);
    assert_eq!((status, other), (StatusCode::OK, StatusCode::OK), "{text}");
    let methods = pair.b.probe.methods.lock().clone();
    let restored = [
        "initialize",
        "notifications/initialized",
        "logging/setLevel",
        "resources/subscribe",
        "echo",
        "echo",
    ];
    assert_eq!(methods, restored);
    assert_eq!(pair.b.server.sessions(), 1);
    // Its next request finds the session here.
    let before = pair.forwarded();
    assert_eq!(send().await.0, StatusCode::OK);
    assert_eq!(pair.forwarded(), before);
}

#[tokio::test]
async fn a_stream_that_broke_resumes_through_any_replica() {
    let pair = Pair::new();
    let session = pair.a.open().await;
    let mut stream = Stream::of(pair.b.call(&session, r#"{"jsonrpc":"2.0","id":6,"method":"steps"}"#).await);
    assert!(stream.next().await.unwrap().contains("step 1"));
    let first = stream.last_id.clone();
    pair.a.probe.begun.notified().await;
    drop(stream);
    let get = |last: &str| {
        let headers = [("accept", "text/event-stream"), ("last-event-id", last)];
        request("GET", &named(&session, &headers), "")
    };
    // While the call runs, and after its answer.
    let mut running = Stream::of(pair.b.send(get(&first)).await);
    assert!(running.next().await.unwrap().contains("step 2"));
    pair.a.probe.gate.notify_one();
    assert!(running.rest().await.concat().contains("stepped"));
    assert!(Stream::of(pair.b.send(get(&first)).await).rest().await.concat().contains("stepped"));
    // The session's own stream.
    let announce = || pair.b.call(&session, r#"{"jsonrpc":"2.0","id":7,"method":"announce"}"#);
    let mut own = Stream::of(pair.b.send(request("GET", &named(&session, &[]), "")).await);
    announce().await;
    assert!(own.next().await.unwrap().contains("list_changed"));
    let last = own.last_id.clone();
    drop(own);
    announce().await;
    let mut own = Stream::of(pair.b.send(get(&last)).await);
    for part in ["hello", "list_changed"] {
        assert!(own.next().await.unwrap().contains(part), "{part}");
    }
    assert!(pair.b.probe.methods.lock().is_empty(), "the owner handles it");
}

#[tokio::test]
async fn events_of_a_lost_replica_are_never_confused_with_others() {
    let pair = Pair::new();
    let session = pair.a.open_as("2025-11-25").await;
    let mut stream =
        Stream::of(pair.a.call(&session, r#"{"jsonrpc":"2.0","id":6,"method":"progress"}"#).await);
    while stream.next().await.is_some_and(|event| !event.contains("result")) {}
    let call = stream.last_id.clone();
    let own = format!("{}-0-7", call.split('-').next().unwrap());
    pair.kill_a();
    let get = |last: &str| {
        let headers = [("accept", "text/event-stream"), ("last-event-id", last)];
        request("GET", &named(&session, &headers), "")
    };
    assert_eq!(pair.b.send(get(&call)).await.status(), StatusCode::GONE);
    let resumed = pair.b.send(get(&own)).await;
    assert_eq!(resumed.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_call_that_was_lost_has_an_unknown_outcome() {
    let pair = Pair::new();
    let session = pair.a.open().await;
    pair.world.breaks.store(true, SeqCst);
    let (status, text) = pair.b.text(request("POST", &named(&session, &[]), ECHO)).await;
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status, &answer["id"]), (StatusCode::OK, &5.into()));
    assert!(answer["error"]["message"].as_str().unwrap().contains("may have been carried out"), "{text}");
    assert_eq!(pair.forwarded(), 1, "the call is not sent again");
}

#[tokio::test]
async fn a_replica_that_shuts_down_hands_its_sessions_over() {
    let pair = Pair::new();
    let session = pair.a.open().await;
    let waiting = pair.a.begin_wait(&session, 7).await;
    let idle = pair.a.open().await;
    let draining = tokio::spawn({
        let server = pair.a.server.clone();
        async move { server.drain().await }
    });
    while !pair.a.text(request("POST", &named(&session, &[]), ECHO)).await.0.is_server_error() {}
    // A session without calls need not wait for the others.
    while pair.b.text(request("POST", &named(&idle, &[]), ECHO)).await.0 != StatusCode::OK {}
    pair.a.probe.gate.notify_one();
    let answered = waiting.await.unwrap();
    assert_eq!(answered.status(), StatusCode::OK);
    assert!(Stream::of(answered).rest().await.concat().contains("waited"));
    draining.await.unwrap();
    let (status, _) = pair.b.text(request("POST", &named(&session, &[]), ECHO)).await;
    assert_eq!((status, pair.b.server.sessions()), (StatusCode::OK, 2));
}

#[tokio::test(start_paused = true)]
async fn a_request_waits_until_its_session_is_handed_over() {
    let pair = Pair::new();
    let session = pair.a.open().await;
    let waiting = pair.a.begin_wait(&session, 7).await;
    let server = pair.a.server.clone();
    let draining = tokio::spawn(async move { server.drain().await });
    let refused = loop {
        let answer = pair.a.send(request("POST", &named(&session, &[]), ECHO)).await;
        if answer.status().is_server_error() {
            break answer;
        }
    };
    assert!(!refused.headers().contains_key("mgp-draining"), "hosts do not get it");
    let ended = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        pair.a.probe.gate.notify_one();
        Stream::of(waiting.await.unwrap()).rest().await
    };
    let asked = pair.b.text(request("POST", &named(&session, &[]), ECHO));
    let ((status, text), rest) = tokio::join!(asked, ended);
    assert_eq!(status, StatusCode::OK, "{text}");
    assert!(rest.concat().contains("waited"), "{rest:?}");
    draining.await.unwrap();
    assert_eq!(pair.b.server.sessions(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_may_count_as_gone_serves_no_session() {
    let pair = Pair::new();
    let session = pair.a.open().await;
    let send = || pair.a.text(request("POST", &named(&session, &[]), ECHO));
    pair.world.is_away.store(true, SeqCst);
    assert_eq!(send().await.0, StatusCode::OK, "it was renewed a moment ago");
    tokio::time::advance(REPLICA_LAPSE).await;
    assert_eq!(send().await.0, StatusCode::SERVICE_UNAVAILABLE);
    pair.world.is_away.store(false, SeqCst);
    assert_eq!(send().await.0, StatusCode::OK, "nobody has taken the session over");
    // Another replica takes the session over while this one cannot renew its entry.
    tokio::time::advance(REPLICA_LAPSE).await;
    for (stored, _) in pair.world.sessions.lock().values_mut() {
        (stored.owner, stored.epoch) = ("0b".to_owned(), 1);
    }
    let before = pair.a.probe.methods.lock().len();
    send().await;
    assert_eq!((pair.a.server.sessions(), pair.a.probe.methods.lock().len()), (0, before));
}

#[tokio::test(start_paused = true)]
async fn only_one_request_waits_for_a_silent_replica() {
    let pair = Pair::new();
    let session = pair.a.open().await;
    let send = || pair.b.text(request("POST", &named(&session, &[]), ECHO));
    pair.world.is_silent.store(true, SeqCst);
    for _ in 0..3 {
        assert_eq!(send().await.0, StatusCode::SERVICE_UNAVAILABLE);
    }
    assert_eq!(pair.forwarded(), 1);
    pair.world.is_silent.store(false, SeqCst);
    tokio::time::advance(REPLICA_LAPSE).await;
    assert_eq!(send().await.0, StatusCode::OK);
    pair.world.is_silent.store(true, SeqCst);
    for _ in 0..3 {
        assert_eq!(
            pair.b.text(continuation("0a.s")).await.0,
            StatusCode::SERVICE_UNAVAILABLE,
            "a parked call"
        );
    }
    assert_eq!(pair.forwarded(), 3);
}

#[tokio::test(start_paused = true)]
async fn only_one_request_waits_for_a_late_store() {
    let pair = Pair::new();
    let session = pair.a.open().await;
    let send = || pair.b.text(request("POST", &named(&session, &[]), ECHO));
    pair.world.is_late.store(true, SeqCst);
    assert_eq!(send().await.0, StatusCode::SERVICE_UNAVAILABLE);
    let answered = Instant::now();
    assert_eq!(send().await.0, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answered.elapsed().as_millis(), 0);
    pair.world.is_late.store(false, SeqCst);
    tokio::time::advance(REPLICA_LAPSE).await;
    assert_eq!(send().await.0, StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_shuts_down_ends_the_streams_of_others() {
    let pair = Pair::new();
    let session = pair.a.open().await;
    let stream = Stream::of(pair.b.send(request("GET", &named(&session, &[]), "")).await);
    pair.b.server.drain().await;
    assert!(stream.rest().await.iter().all(|event| !event.contains("error")), "the session goes on");
    assert_eq!(pair.a.server.sessions(), 1);
}

#[tokio::test(start_paused = true)]
async fn many_sessions_do_not_delay_a_shutdown_with_a_late_store() {
    let limit = Duration::from_secs(30);
    let pair = Pair::with(
        |builder| builder.config(HttpServerConfig { drain_timeout: limit, ..HttpServerConfig::default() }),
        |builder| builder,
    );
    let mut waiting = Vec::new();
    for id in 0..20 {
        let session = pair.a.open().await;
        waiting.push(pair.a.begin_wait(&session, id).await);
    }
    pair.world.is_late.store(true, SeqCst);
    let start = Instant::now();
    pair.a.server.drain().await;
    assert!(start.elapsed() <= limit + Duration::from_secs(2), "{:?}", start.elapsed());
    until(|| pair.a.server.sessions() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_session_outlives_a_lost_answer_about_its_new_owner() {
    let pair = Pair::new();
    let session = pair.a.open().await;
    pair.kill_a();
    let send = || pair.b.text(request("POST", &named(&session, &[]), ECHO));
    pair.world.loses_answers.store(true, SeqCst);
    assert_eq!(send().await.0, StatusCode::SERVICE_UNAVAILABLE);
    // The entry of the replica lapses, so it looks for sessions that it does not have.
    tokio::time::advance(REPLICA_LAPSE).await;
    assert_eq!(send().await.0, StatusCode::SERVICE_UNAVAILABLE);
    pair.world.loses_answers.store(false, SeqCst);
    assert_eq!(send().await.0, StatusCode::OK);
    assert_eq!(pair.b.server.sessions(), 1);
}

/// A replica that has no sessions.
struct NoSessions;

impl LocalSessions for NoSessions {
    fn end_lost(&self, _: &HashMap<String, i64>) -> HashSet<String> {
        HashSet::new()
    }
}

#[tokio::test(start_paused = true)]
async fn a_take_over_that_succeeds_late_is_not_forgotten() {
    let world = Arc::new(World::default());
    let view = |id: &str| Arc::new(View { world: world.clone(), id: id.to_owned() });
    let record = SessionRecord {
        principal: "ann".to_owned(),
        initialize: None,
        level: None,
        subscriptions: Vec::new(),
        revision: 0,
    };
    view("0a").open("key", &record).await.unwrap();
    let replicas = Replicas::new(view("0b"), view("0b"));
    replicas.check_current(&NoSessions).await.unwrap();
    let stored = view("0b").find("key").await.unwrap().unwrap();
    world.is_delayed.store(true, SeqCst);
    replicas.take("key", &stored).await.unwrap_err();
    world.is_delayed.store(false, SeqCst);
    // By now, the first attempt has succeeded, so the session is no longer the other replica's.
    assert!(!replicas.take("key", &stored).await.unwrap());
    tokio::time::advance(REPLICA_LAPSE).await;
    replicas.check_current(&NoSessions).await.unwrap();
    assert_eq!(view("0b").find("key").await.unwrap().unwrap().owner, "0b");
}

fn continuation(state: &str) -> Request<Body> {
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{{"name":"x","requestState":"{state}","_meta":{meta}}}}}"#
    );
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "x")];
    request("POST", &headers, &body)
}

#[tokio::test]
async fn a_parked_call_continues_in_its_own_replica() {
    let pair = Pair::new();
    let (status, text) = pair.b.text(continuation("0a.s")).await;
    assert_eq!((status, pair.forwarded()), (StatusCode::OK, 1), "{text}");
    assert_eq!((pair.a.probe.methods.lock().len(), pair.b.probe.methods.lock().len()), (1, 0));
    // Its own states, and states of another kind, are handled here.
    for state in ["0b.s", "of a server", "0b"] {
        assert_eq!(pair.b.text(continuation(state)).await.0, StatusCode::OK);
    }
    assert_eq!((pair.forwarded(), pair.b.probe.methods.lock().len()), (1, 3));
}

#[tokio::test]
async fn a_parked_call_of_a_lost_replica_has_an_unknown_outcome() {
    let pair = Pair::new();
    pair.kill_a();
    let (status, text) = pair.b.text(continuation("0a.s")).await;
    assert_eq!((status, pair.forwarded()), (StatusCode::OK, 0));
    assert!(text.contains("may have been carried out"), "{text}");
    let breaking = Pair::new();
    breaking.world.breaks.store(true, SeqCst);
    let (_, text) = breaking.b.text(continuation("0a.s")).await;
    assert!(text.contains("may have been carried out") && breaking.forwarded() == 1, "{text}");
}

/// Returns a request with a member that names a task.
fn about_task(method: &str, named: &str) -> Request<Body> {
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let body =
        format!(r#"{{"jsonrpc":"2.0","id":5,"method":"{method}","params":{{{named},"_meta":{meta}}}}}"#);
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", method), ("mcp-name", "0a.t")];
    request("POST", &headers, &body)
}

#[tokio::test]
async fn a_task_is_handled_in_its_own_replica_while_that_runs() {
    let pair = Pair::new();
    let get = || about_task("tasks/get", r#""taskId":"0a.t""#);
    let listen = about_task("subscriptions/listen", r#""notifications":{"taskIds":["0a.t","0b.t"]}"#);
    assert_eq!(pair.b.text(get()).await.0, StatusCode::OK);
    let _stream = pair.b.send(listen).await;
    assert_eq!((pair.forwarded(), pair.b.probe.methods.lock().len()), (2, 0));
    pair.kill_a();
    assert_eq!(pair.b.text(get()).await.0, StatusCode::OK);
    assert_eq!(pair.b.probe.methods.lock().len(), 1);
}

#[tokio::test]
async fn messages_of_an_older_transport_reach_their_stream() {
    let pair = Pair::with(|builder| builder.http_sse("/sse"), |builder| builder.http_sse("/sse"));
    let get = Request::get("/sse").header("host", "localhost").header("accept", "text/event-stream");
    let mut stream = Stream::of(pair.a.send(get.body(Body::empty()).unwrap()).await);
    let endpoint = stream.next().await.unwrap().strip_prefix("event: endpoint\ndata: ").unwrap().to_owned();
    let mut message = request("POST", &[], ECHO);
    *message.uri_mut() = endpoint.parse().unwrap();
    assert_eq!(pair.b.send(message).await.status(), StatusCode::ACCEPTED);
    assert!(stream.next().await.unwrap().contains(r#""result":{"x":1}"#));
    assert_eq!(pair.forwarded(), 1);
    // The stream ends with its replica, and so does the session.
    pair.kill_a();
    let mut message = request("POST", &[], ECHO);
    *message.uri_mut() = endpoint.parse().unwrap();
    assert_eq!(pair.b.send(message).await.status(), StatusCode::NOT_FOUND);
}
