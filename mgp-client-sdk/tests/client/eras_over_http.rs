//! The detection of an HTTP endpoint's era.

use crate::{
    http_by_hand::{self, Answer, Script, json_body, serve},
    scripted::{Lines, plain},
    support::{builder, within},
};
use mgp_client_sdk::{
    Era, HttpClientConfig,
    client::{Client, ClientError},
};
use serde_json::{Value, json};
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::net::TcpSocket;

/// Connects to an endpoint that answers `server/discover` in its own way, and `initialize` as a plain server does.
async fn connect(
    discover: impl Fn(&Value) -> Answer + Send + Sync + 'static,
) -> (Result<Client, ClientError>, Lines) {
    let script = move |line: &Value| match line["method"].as_str() {
        Some("server/discover") => discover(line),
        _ => match plain(line, &json!({})) {
            Some(said) => json_body(said[0].clone(), line),
            None => Some((202, "text/plain", String::new())),
        },
    };
    http_by_hand::connect(Arc::new(script), builder()).await
}

#[tokio::test]
async fn an_answer_of_earlier_servers_leads_to_initialize() {
    let rpc = |code: i64, id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"Server not initialized"}}}}"#
        )
    };
    for (status, content_type, body) in [
        (400, "text/plain", "Bad Request".to_owned()),
        (400, "application/json", rpc(-32000, "null")),
        (400, "application/json", rpc(-32602, "1")),
        (404, "text/html", "<h1>Not Found</h1>".to_owned()),
        (405, "text/plain", String::new()),
        (200, "application/json", rpc(-32601, "1")),
        (200, "application/json", rpc(-32602, "1")),
    ] {
        let answer = body.clone();
        let (client, lines) = connect(move |_| Some((status, content_type, answer.clone()))).await;
        assert_eq!(client.unwrap().greeting().era(), Era::Initialize, "{status} {body}");
        assert_eq!(lines.methods()[..2], ["server/discover", "initialize"], "{status} {body}");
        let probe = &lines.all()[0]["headers"];
        assert_eq!(probe["mcp-protocol-version"], "2026-07-28");
        assert_eq!(probe["mcp-method"], "server/discover");
        assert!(lines.all()[1]["headers"].get("mcp-method").is_none());
    }
}

#[tokio::test]
async fn a_server_that_fails_on_the_probe_gets_initialize() {
    let rpc = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Unauthorized"}}"#;
    for (status, body) in
        [(403, ""), (403, rpc), (500, "oops"), (500, rpc), (502, rpc), (503, ""), (504, ""), (0, "")]
    {
        let (client, lines) = connect(move |_| Some((status, "application/json", body.to_owned()))).await;
        assert_eq!(client.unwrap().greeting().era(), Era::Initialize, "{status} {body}");
        assert_eq!(lines.methods()[..2], ["server/discover", "initialize"], "{status} {body}");
    }
}

#[tokio::test]
async fn a_server_that_fails_on_everything_is_reported() {
    for (status, part) in [(502, "HTTP 502"), (403, "HTTP 403"), (0, "failed to reach the server")] {
        let script: Script = Arc::new(move |_| Some((status, "text/plain", String::new())));
        let (client, lines) = http_by_hand::connect(script, builder()).await;
        let error = client.unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        assert_eq!(lines.methods(), ["server/discover", "initialize"], "{status}");
    }
}

#[tokio::test]
async fn a_stateless_server_that_failed_once_is_asked_again() {
    for refusal in [
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}"#,
        "<h1>Not Found</h1>",
    ] {
        let asked = AtomicUsize::new(0);
        let script = move |line: &Value| match line["method"].as_str() {
            Some("server/discover") if asked.fetch_add(1, Ordering::Relaxed) == 0 => {
                Some((503, "text/plain", "starting".to_owned()))
            }
            Some("initialize") => Some((404, "application/json", refusal.to_owned())),
            _ => match plain(line, &json!({})) {
                Some(said) => json_body(said[0].clone(), line),
                None => Some((202, "text/plain", String::new())),
            },
        };
        let (client, lines) = http_by_hand::connect(Arc::new(script), builder()).await;
        assert_eq!(client.unwrap().greeting().era(), Era::Stateless, "{refusal}");
        assert_eq!(lines.methods(), ["server/discover", "initialize", "server/discover"], "{refusal}");
    }
}

#[tokio::test]
async fn a_refusal_for_rights_or_rate_ends_the_probing() {
    let rpc = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Unauthorized"}}"#;
    for (status, body) in [(401, ""), (401, rpc), (429, "")] {
        let (client, lines) = connect(move |_| Some((status, "application/json", body.to_owned()))).await;
        let error = client.unwrap_err().to_string();
        assert!(error.contains(&status.to_string()), "{error}");
        assert_eq!(lines.methods(), ["server/discover"], "{status} {body}");
    }
}

#[tokio::test]
async fn a_revision_refused_with_a_status_is_replaced() {
    let script = |line: &Value| match line["method"].as_str() {
        Some("server/discover") => Some((404, "text/plain", String::new())),
        Some("initialize") if line["params"]["protocolVersion"] != "2025-06-18" => {
            let data = json!({"supported": ["2024-11-05", "2025-06-18"], "requested": "2025-11-25"});
            let error = json!({"code": -32602, "message": "Unsupported protocol version", "data": data});
            let body = json!({"jsonrpc": "2.0", "id": line["id"], "error": error});
            Some((400, "application/json", body.to_string()))
        }
        Some("initialize") => {
            let info = json!({"name": "old", "version": "1"});
            let greeting = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": info});
            json_body(json!({"result": greeting}), line)
        }
        _ => Some((202, "text/plain", String::new())),
    };
    let (client, lines) = http_by_hand::connect(Arc::new(script), builder()).await;
    assert_eq!(client.unwrap().greeting().version.as_str(), "2025-06-18");
    assert_eq!(lines.methods()[..3], ["server/discover", "initialize", "initialize"]);
}

#[tokio::test]
async fn a_silent_endpoint_gets_initialize_and_a_missing_one_does_not() {
    let script = |line: &Value| match line["method"].as_str() {
        Some("server/discover") => None,
        _ => match plain(line, &json!({})) {
            Some(said) => json_body(said[0].clone(), line),
            None => Some((202, "text/plain", String::new())),
        },
    };
    let (url, lines) = serve(Arc::new(script)).await;
    let connecting = tokio::spawn(async move {
        builder().timeout(Duration::from_secs(3600)).connect_http(&url, HttpClientConfig::default()).await
    });
    lines.wait_for("server/discover", 1).await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(6)).await;
    tokio::time::resume();
    let client = within(connecting).await.unwrap().unwrap();
    assert_eq!(client.greeting().era(), Era::Initialize);
    assert_eq!(lines.methods()[..2], ["server/discover", "initialize"]);

    let (gone, _port) = deaf_address();
    let url = format!("http://{gone}/mcp");
    let error = within(builder().connect_http(&url, HttpClientConfig::default())).await.unwrap_err();
    assert!(error.to_string().contains("failed to reach the server"), "{error}");
}

/// Returns an address at which nobody listens, and the socket that keeps others from its port.
fn deaf_address() -> (SocketAddr, TcpSocket) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    (socket.local_addr().unwrap(), socket)
}

#[tokio::test]
async fn a_refused_connection_names_the_server_without_secrets() {
    let (gone, _port) = deaf_address();
    let url = format!("http://name:word@{gone}/secret/mcp?key=k");
    let error = within(builder().connect_http(&url, HttpClientConfig::default())).await.unwrap_err();
    let told = error.to_string();
    let start = format!("could not connect to http://{gone}: failed to reach the server: Connection refused");
    assert!(told.starts_with(&start) && !told.contains("word") && !told.contains("secret"), "{told}");
    // A `main` that returns the error prints this form.
    assert_eq!(format!("{error:?}"), told);
}
