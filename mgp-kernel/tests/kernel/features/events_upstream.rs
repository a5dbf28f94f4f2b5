//! §13.2, §13.3 The kernel's subscription at a server: kept when the server refuses it, the same for all hosts, and bounded.

use crate::{
    exchange::result_secrets::token,
    features::events::{EVENT, SUBSCRIBE, UNSUBSCRIBE, event, hear, heard, kernel_of, raw, subscribe},
    raw_host::As,
    raw_server::{RawServer, error, result},
    support::{server_rule, start, until},
};
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::post,
};
use mgp_kernel::{Endpoint, Era, EraChoice, HttpClientConfig, ServerSpec};
use mgp_security::{
    audit::{AuditError, AuditSink, StoreFuture},
    results::SecretPolicy,
};
use mgp_types::{access::DefaultPolicy, audit::AuditEvent};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::net::TcpListener;

/// Returns a server that answers a subscription as `answer` says.
fn answering(answer: impl Fn(&Value, usize) -> Value + Send + Sync + 'static) -> RawServer {
    let capabilities = json!({"tools": {}, "mgp": {"version": "0.3.0", "extensions": ["events"]}});
    let asked = AtomicUsize::new(0);
    RawServer::new(Era::Initialize, capabilities, move |message| match message["method"].as_str() {
        Some(SUBSCRIBE) => Some(vec![answer(message, asked.fetch_add(1, Ordering::Relaxed))]),
        Some(UNSUBSCRIBE) => {
            let id = &message["params"]["subscription_id"];
            Some(vec![result(message, json!({"subscription_id": id, "removed": true}))])
        }
        Some(method) if method.starts_with("mgp/") => Some(vec![error(message, -32601, "no")]),
        _ => None,
    })
}

fn subscribed(message: &Value, channels: &[&str], id: &str) -> Value {
    result(message, json!({"subscribed": channels, "unsupported": [], "subscription_id": id}))
}

/// Returns the channels that a server was asked for, by request.
fn asked_for(server: &RawServer) -> Vec<Value> {
    server.read_of(SUBSCRIBE).iter().map(|message| message["params"]["channels"].clone()).collect()
}

#[tokio::test]
async fn a_refused_subscription_is_requested_again() {
    let server = answering(|message, before| match before {
        0..3 => error(message, -32603, "not now"),
        _ => subscribed(message, &["a.b"], "up"),
    });
    let setup = kernel_of(server.spec("srv")).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    subscribe(&mut host, Era::Initialize, json!({"channels": ["*"]})).await;
    tokio::time::pause();
    server.has_read(SUBSCRIBE, 4).await;
    tokio::time::resume();
    server.say(event("a.b", json!(1)));
    assert_eq!(hear(&mut host).await, heard("a.b", json!(1), 1));
}

/// The messages that a server over HTTP has read, in order.
type Messages = Arc<Mutex<Vec<Value>>>;

fn count(messages: &Messages, method: &str) -> usize {
    messages.lock().iter().filter(|message| message["method"] == method).count()
}

/// Answers a message. The session is forgotten when a tool is called, and the first subscription of the new one is refused.
async fn answer(State(messages): State<Messages>, headers: HeaderMap, body: String) -> Response {
    let message: Value = serde_json::from_str(&body).unwrap();
    messages.lock().push(message.clone());
    let is_new = count(&messages, "initialize") > 1;
    let reply = match message["method"].as_str().unwrap_or_default() {
        "initialize" => result(
            &message,
            json!({
                "protocolVersion": "2025-11-25", "serverInfo": {"name": "raw", "version": "1"},
                "capabilities": {"tools": {}, "mgp": {"version": "0.3.0", "extensions": ["events"]}}
            }),
        ),
        _ if message.get("id").is_none() => return StatusCode::ACCEPTED.into_response(),
        "tools/call" if headers["mcp-session-id"] == "s-1" => return StatusCode::NOT_FOUND.into_response(),
        SUBSCRIBE if is_new && count(&messages, SUBSCRIBE) == 2 => error(&message, -32603, "not now"),
        SUBSCRIBE => subscribed(&message, &["a.b"], "up"),
        "tools/list" => result(
            &message,
            json!({"tools": [{"name": "work", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}]}),
        ),
        _ => result(&message, json!({"content": []})),
    };
    let session = if is_new { "s-2" } else { "s-1" };
    ([("Content-Type", "application/json"), ("Mcp-Session-Id", session)], reply.to_string()).into_response()
}

#[tokio::test]
async fn a_subscription_refused_by_a_new_session_is_requested_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let messages = Messages::default();
    let router = Router::new().route("/mcp", post(answer)).with_state(messages.clone());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let mut spec = ServerSpec::new("srv", Endpoint::Http { url, config: HttpClientConfig::default() });
    spec.default_policy = DefaultPolicy::OptOut;
    spec.era = EraChoice::Known(Era::Initialize);
    let setup = kernel_of(spec).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    assert_eq!(subscribe(&mut host, Era::Initialize, json!({"channels": ["a.*"]})).await, ["a.b"]);
    host.call("work", json!({})).await;
    until(|| count(&messages, SUBSCRIBE) >= 3).await;
}

#[tokio::test]
async fn a_server_that_accepts_the_star_gets_one_request() {
    let server = raw(Era::Initialize);
    let setup = kernel_of(server.spec("srv")).await;
    let mut hosts = Vec::new();
    for channels in [json!(["a.b"]), json!(["a.*", "x"]), json!(["*"])] {
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        subscribe(&mut host, Era::Initialize, json!({"channels": channels})).await;
        host.settle().await;
        hosts.push(host);
    }
    assert_eq!(asked_for(&server), [json!(["*"])]);
}

#[tokio::test]
async fn a_server_without_the_star_gets_the_names_of_all_hosts() {
    for refuses in [false, true] {
        let server = answering(move |message, before| {
            let has_star = message["params"]["channels"][0] == "*";
            match before {
                _ if has_star && refuses => error(message, -32602, "no such channel"),
                _ if has_star => subscribed(message, &[], &format!("up-{before}")),
                _ => subscribed(message, &["a.b"], &format!("up-{before}")),
            }
        });
        let setup = kernel_of(server.spec("srv")).await;
        let mut greedy = setup.raw_host(As::mgp(Era::Initialize)).await;
        let many: Vec<_> = (0..64).map(|number| format!("a.{number}")).collect();
        subscribe(&mut greedy, Era::Initialize, json!({"channels": many})).await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        let told = subscribe(&mut host, Era::Initialize, json!({"channels": ["z.*", "z.1", "a.b"]})).await;
        assert_eq!(told, ["a.b"], "{refuses}");
        let wants = |message: &Value| message["params"]["channels"].to_string().contains("z.*");
        server.reads(wants, 1).await;
        let asked = asked_for(&server);
        let latest = asked.last().unwrap().as_array().unwrap();
        assert!(asked[0] == json!(["*"]) && latest.len() <= 64, "{refuses}: {asked:?}");
        // What a pattern takes in comes after all others, and there is no room for it.
        for (pattern, is_asked) in [("z.*", true), ("z.1", false), ("a.b", true), ("a.1", true)] {
            assert_eq!(latest.contains(&json!(pattern)), is_asked, "{refuses} {pattern}: {latest:?}");
        }
    }
}

#[tokio::test]
async fn a_pattern_silences_no_other_host_at_a_server_of_exact_names() {
    for echoes_star in [false, true] {
        let server = answering(move |message, before| {
            let asked = message["params"]["channels"].as_array().unwrap();
            let is_known = |name: &&Value| **name == "model.token_usage" || (echoes_star && **name == "*");
            let channels: Vec<_> = asked.iter().filter(is_known).filter_map(Value::as_str).collect();
            subscribed(message, &channels, &format!("up-{before}"))
        });
        let setup = kernel_of(server.spec("srv")).await;
        let mut one = setup.raw_host(As::mgp(Era::Initialize)).await;
        let mut other = setup.raw_host(As::mgp(Era::Initialize)).await;
        subscribe(&mut one, Era::Initialize, json!({"channels": ["model.token_usage"]})).await;
        subscribe(&mut other, Era::Initialize, json!({"channels": ["model.*"]})).await;
        let has_both = |message: &Value| {
            message["method"] == SUBSCRIBE
                && message["params"]["channels"] == json!(["model.*", "model.token_usage"])
        };
        server.reads(has_both, 1).await;
    }
}

#[tokio::test]
async fn a_name_that_a_server_refuses_costs_no_other_name() {
    let server = answering(|message, before| {
        let asked: Vec<_> =
            message["params"]["channels"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        match asked.iter().all(|name| ["a.b", "c.d"].contains(name)) {
            true => subscribed(message, &asked, &format!("up-{before}")),
            false => error(message, -32602, "no such channel"),
        }
    });
    let setup = kernel_of(server.spec("srv")).await;
    let mut one = setup.raw_host(As::mgp(Era::Initialize)).await;
    let mut other = setup.raw_host(As::mgp(Era::Initialize)).await;
    subscribe(&mut one, Era::Initialize, json!({"channels": ["a.b"]})).await;
    subscribe(&mut other, Era::Initialize, json!({"channels": ["x.y", "c.d", "z.*"]})).await;
    let is_whole = |message: &Value| message["params"]["channels"] == json!(["a.b", "c.d"]);
    server.reads(is_whole, 1).await;
    let asked = asked_for(&server);
    assert!(asked.len() < 10, "each name that is refused is asked for once: {asked:?}");
}

#[tokio::test]
async fn an_event_of_another_subscription_is_dropped() {
    let server = raw(Era::Initialize);
    let setup = kernel_of(server.spec("srv")).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    subscribe(&mut host, Era::Initialize, json!({"channels": ["a.*"]})).await;
    let mut of_another = event("a.b", json!(1));
    of_another["params"]["subscription_id"] = json!("down");
    server.say(of_another);
    server.say(event("a.b", json!(2)));
    assert_eq!(hear(&mut host).await, heard("a.b", json!(2), 1));
}

#[tokio::test]
async fn names_that_no_server_s_channel_can_have_are_not_listed() {
    let names = ["a.b", "a *", "security.refused", "system.audit", "*", ""];
    let server = answering(move |message, _| subscribed(message, &names, "up"));
    let setup = kernel_of(server.spec("srv")).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let mut told = subscribe(&mut host, Era::Initialize, json!({"channels": ["*"]})).await;
    told.retain(|name| !name.starts_with("tool.") && !name.starts_with("security."));
    told.sort();
    assert_eq!(told, ["a.b", "system.server_state"]);
}

#[tokio::test]
async fn events_over_the_bounds_count_as_lost() {
    let server = raw(Era::Initialize);
    let setup = kernel_of(server.spec("srv")).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    subscribe(&mut host, Era::Initialize, json!({"channels": ["a.*"]})).await;
    // With its quotes, this text is as long as data may be.
    let longest = json!("x".repeat(64 * 1024 - 2));
    server.say(event("a.b", longest.clone()));
    assert_eq!(hear(&mut host).await, heard("a.b", longest, 1));
    let mut too_long = event("a.b", json!("x".repeat(64 * 1024 - 1)));
    too_long["params"]["_mgp"] = json!({"dropped": 2});
    server.say(too_long);
    let mut with_more = event("a.b", json!(1));
    with_more["params"]["more"] = json!("x".repeat(5 * 1024));
    server.say(with_more);
    server.say(event("a.b", json!(2)));
    let told = host.hear(EVENT).await;
    assert_eq!(
        (&told["params"]["data"], &told["params"]["_mgp"]["dropped"]),
        (&json!(2), &json!(4)),
        "{told}"
    );
}

/// A sink that cannot store events of secrets.
#[derive(Debug)]
struct ForgetfulSink;

impl AuditSink for ForgetfulSink {
    fn record(&self, event: AuditEvent) -> StoreFuture {
        let is_secret = event.event_type.as_str().ends_with("SECRET_FOUND");
        StoreFuture::ready(if is_secret { Err(AuditError::new("disk full")) } else { Ok(()) })
    }
}

#[tokio::test]
async fn an_event_whose_secrets_cannot_be_recorded_counts_as_lost() {
    let server = raw(Era::Initialize);
    let mut spec = server.spec("srv");
    spec.secrets = SecretPolicy::Mask;
    let setup = start(|kernel, _| kernel.audit_sink(ForgetfulSink).server(spec)).await;
    setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    subscribe(&mut host, Era::Initialize, json!({"channels": ["a.*"]})).await;
    server.say(event("a.b", json!({"token": token()})));
    server.say(event("a.b", json!(1)));
    let told = host.hear(EVENT).await;
    assert_eq!(
        (&told["params"]["data"], &told["params"]["_mgp"]["dropped"]),
        (&json!(1), &json!(1)),
        "{told}"
    );
}
