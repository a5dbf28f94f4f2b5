//! Events are forwarded to an audit server over HTTP.

use crate::{
    raw_host::{As, RawHost},
    raw_server::result,
    support::{ready, until},
};
use axum::{
    Router,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::post,
};
use mgp_kernel::{Endpoint, Era, EraChoice, HttpClientConfig, Kernel, ServerSpec};
use mgp_security::audit::{AuditLog, AuditLogConfig};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::net::TcpListener;

/// The number of the event that the audit server refuses at first.
const REFUSED: u64 = 2;

/// The numbers of the events that came, each with whether it was taken.
type Events = Arc<Mutex<Vec<(u64, bool)>>>;

async fn answer(State(events): State<Events>, body: String) -> Response {
    let message: Value = serde_json::from_str(&body).unwrap();
    let content = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "serverInfo": {"name": "raw", "version": "1"},
            "capabilities": {"tools": {}, "mgp": {"version": "0.6.0", "extensions": ["audit"], "server_id": "auditor"}}
        }),
        "notifications/mgp.audit" => {
            let number = message["params"]["_mgp"]["seq"].as_u64().unwrap();
            let mut events = events.lock();
            let is_taken = number != REFUSED || events.contains(&(REFUSED, false));
            events.push((number, is_taken));
            let status = if is_taken { StatusCode::ACCEPTED } else { StatusCode::SERVICE_UNAVAILABLE };
            return status.into_response();
        }
        _ if message.get("id").is_none() => return StatusCode::ACCEPTED.into_response(),
        "tools/list" => json!({"tools": []}),
        _ => json!({}),
    };
    ([("Content-Type", "application/json")], result(&message, content).to_string()).into_response()
}

#[tokio::test]
async fn an_event_that_the_audit_server_refuses_is_repeated_in_order() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let events = Events::default();
    let router = Router::new().route("/mcp", post(answer)).with_state(events.clone());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let mut spec = ServerSpec::new("auditor", Endpoint::Http { url, config: HttpClientConfig::default() });
    spec.era = EraChoice::Known(Era::Initialize);
    let folder = tempfile::tempdir().unwrap();
    let log = AuditLog::open(folder.path().join("audit.sqlite3"), &AuditLogConfig::default()).unwrap();
    let kernel = Kernel::builder()
        .audit_sink(log)
        .config(|config| {
            config.audit.server = Some("auditor".into());
            config.kernel.agent = "agent.test".into();
        })
        .server(spec);
    let kernel = kernel.start().await.unwrap();
    ready(&kernel).await;
    let mut host = RawHost::connect(&kernel, As::mgp(Era::Initialize)).await;
    for _ in 0..4 {
        host.refused("tools/call", json!({"name": "none"})).await;
    }
    until(|| events.lock().contains(&(4, true))).await;
    let came = events.lock().clone();
    let refused = came.iter().position(|event| *event == (REFUSED, false)).unwrap();
    let taken = came.iter().position(|event| *event == (REFUSED, true)).unwrap();
    assert!(refused < taken && came[..taken].iter().all(|(number, _)| *number <= REFUSED), "{came:?}");
    let later: Vec<u64> = came[taken..].iter().map(|(number, _)| *number).collect();
    assert!(later.starts_with(&[2, 3, 4]), "{came:?}");
}
