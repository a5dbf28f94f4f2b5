//! Calls that a server over HTTP certainly did not run: it was not reached, or refused them at the door.

use crate::{
    raw_host::{As, RawHost},
    raw_server::result,
    support::{Setup, start},
};
use axum::{
    Router,
    extract::State,
    http::{HeaderValue, StatusCode},
    middleware::map_response,
    response::{IntoResponse, Response},
    routing::post,
};
use mgp_discovery::config::CallerLimit;
use mgp_kernel::{Endpoint, Era, EraChoice, HttpClientConfig, ServerSpec};
use mgp_lifecycle::retry::RetryPolicy;
use mgp_types::access::DefaultPolicy;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::{net::SocketAddr, num::NonZeroU64, sync::Arc};
use tokio::{net::TcpListener, task::JoinHandle};

/// A server whose next calls are answered with these statuses, before they run.
#[derive(Clone, Default)]
pub(crate) struct Door(Arc<Mutex<DoorState>>);

#[derive(Default)]
struct DoorState {
    refusals: Vec<StatusCode>,
    /// The status with which every message is answered, if there is one.
    shut: Option<StatusCode>,
    /// The number of calls that ran.
    ran: usize,
}

impl Door {
    fn refuses(&self, refusals: &[u16]) {
        self.0.lock().refusals = refusals.iter().map(|code| StatusCode::from_u16(*code).unwrap()).collect();
    }

    /// Answers every message with this status, or as usual again.
    pub(crate) fn shut(&self, status: Option<u16>) {
        self.0.lock().shut = status.map(|code| StatusCode::from_u16(code).unwrap());
    }

    fn ran(&self) -> usize {
        self.0.lock().ran
    }
}

async fn answer(State(door): State<Door>, body: String) -> Response {
    let message: Value = serde_json::from_str(&body).unwrap();
    let shut = door.0.lock().shut;
    if let Some(status) = shut {
        return status.into_response();
    }
    let content = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "serverInfo": {"name": "raw", "version": "1"}, "capabilities": {"tools": {}}
        }),
        _ if message.get("id").is_none() => return StatusCode::ACCEPTED.into_response(),
        "tools/list" => json!({"tools": [{"name": "work", "inputSchema": {"type": "object"}}]}),
        "tools/call" => {
            let mut state = door.0.lock();
            if !state.refusals.is_empty() {
                return state.refusals.remove(0).into_response();
            }
            state.ran += 1;
            json!({"content": [{"type": "text", "text": format!("call {}", state.ran)}]})
        }
        _ => json!({}),
    };
    ([("Content-Type", "application/json")], result(&message, content).to_string()).into_response()
}

pub(crate) async fn listen(door: &Door, at: &str) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind(at).await.unwrap();
    let address = listener.local_addr().unwrap();
    // No connection outlives its listener.
    let close = map_response(async |mut response: Response| {
        response.headers_mut().insert("Connection", HeaderValue::from_static("close"));
        response
    });
    let router = Router::new().route("/mcp", post(answer)).layer(close).with_state(door.clone());
    (address, tokio::spawn(async move { axum::serve(listener, router).await.unwrap() }))
}

async fn open(address: SocketAddr, retries: RetryPolicy) -> (Setup, RawHost) {
    open_with_units(address, retries, NonZeroU64::MAX).await
}

/// Opens a kernel whose agents may spend this many units a day.
async fn open_with_units(address: SocketAddr, retries: RetryPolicy, units: NonZeroU64) -> (Setup, RawHost) {
    let endpoint =
        Endpoint::Http { url: format!("http://{address}/mcp"), config: HttpClientConfig::default() };
    let mut spec = ServerSpec::new("srv", endpoint);
    spec.default_policy = DefaultPolicy::OptOut;
    spec.era = EraChoice::Known(Era::Initialize);
    spec.retries = retries;
    let quota = CallerLimit { units_per_day: Some(units), ..CallerLimit::default() };
    let setup = start(|kernel, _| {
        kernel.server(spec).config(|config| {
            config.limits.agents.insert("*".into(), quota);
        })
    })
    .await;
    let host = setup.raw_host(As::mgp(Era::Initialize)).await;
    (setup, host)
}

fn keyed(key: &str) -> Value {
    json!({"name": "work", "arguments": {}, "_meta": {"idempotency_key": key}})
}

#[tokio::test]
async fn the_key_of_a_refused_call_is_free_but_unknown_after_a_503() {
    let door = Door::default();
    let (address, _task) = listen(&door, "127.0.0.1:0").await;
    let (_setup, mut host) = open(address, RetryPolicy::never()).await;
    for (ran, status) in [401, 402, 403, 429].into_iter().enumerate() {
        door.refuses(&[status]);
        let key = format!("op-{status}");
        let refused = host.refused("tools/call", keyed(&key)).await;
        assert!(refused["message"].as_str().unwrap().contains(&format!("HTTP {status}")), "{refused}");
        assert_eq!(refused["data"]["_mgp"]["retryable"], status == 429, "{refused}");
        let made = host.get("tools/call", keyed(&key)).await;
        assert_eq!((&made["_meta"]["was_replay"], door.ran()), (&json!(false), ran + 1), "{status} {made}");
    }
    door.refuses(&[503]);
    host.refused("tools/call", keyed("op-503")).await;
    let later = host.refused("tools/call", keyed("op-503")).await;
    assert_eq!(later["data"]["_mgp"]["details"]["outcome"], "unknown", "{later}");
    assert_eq!(door.ran(), 4);
}

#[tokio::test]
async fn the_key_of_a_call_whose_every_attempt_was_refused_is_free() {
    let door = Door::default();
    let (address, _task) = listen(&door, "127.0.0.1:0").await;
    let (_setup, mut host) = open(address, RetryPolicy::default()).await;
    door.refuses(&[429, 401]);
    let refused = host.refused("tools/call", keyed("op-1")).await;
    assert!(refused["message"].as_str().unwrap().contains("HTTP 401"), "{refused}");
    let made = host.get("tools/call", keyed("op-1")).await;
    assert_eq!((&made["_meta"]["was_replay"], door.ran()), (&json!(false), 1), "{made}");
}

#[tokio::test]
async fn the_key_of_a_call_whose_server_was_not_reached_is_free() {
    let door = Door::default();
    let (address, task) = listen(&door, "127.0.0.1:0").await;
    let (_setup, mut host) = open(address, RetryPolicy::never()).await;
    task.abort();
    let _ = task.await;
    let refused = host.refused("tools/call", keyed("op-1")).await;
    assert!(refused["message"].as_str().unwrap().contains("failed to reach the server"), "{refused}");
    assert_eq!(refused["data"]["_mgp"]["retryable"], true, "{refused}");
    let (_, _task) = listen(&door, &address.to_string()).await;
    let made = host.get("tools/call", keyed("op-1")).await;
    assert_eq!((&made["_meta"]["was_replay"], door.ran()), (&json!(false), 1), "{made}");
}

#[tokio::test]
async fn units_are_returned_only_if_the_server_was_not_reached() {
    let door = Door::default();
    let (address, task) = listen(&door, "127.0.0.1:0").await;
    let (_setup, mut host) = open_with_units(address, RetryPolicy::never(), NonZeroU64::MIN).await;
    task.abort();
    let _ = task.await;
    let call = json!({"name": "work", "arguments": {}});
    for _ in 0..2 {
        let refused = host.refused("tools/call", call.clone()).await;
        assert!(refused["message"].as_str().unwrap().contains("failed to reach the server"), "{refused}");
    }
    let (_, _task) = listen(&door, &address.to_string()).await;
    door.refuses(&[429]);
    for said in ["HTTP 429", "the quota is used up"] {
        let refused = host.refused("tools/call", call.clone()).await;
        assert!(refused["message"].as_str().unwrap().contains(said), "{refused}");
    }
    assert_eq!(door.ran(), 0);
}

#[tokio::test]
async fn the_kernel_repeats_requests_that_a_plain_server_limits() {
    let door = Door::default();
    let (address, _task) = listen(&door, "127.0.0.1:0").await;
    let (_setup, mut host) = open(address, RetryPolicy::default()).await;
    door.refuses(&[429, 429]);
    let made = host.get("tools/call", keyed("op-1")).await;
    assert_eq!((&made["content"][0]["text"], door.ran()), (&json!("call 1"), 1), "{made}");
}
