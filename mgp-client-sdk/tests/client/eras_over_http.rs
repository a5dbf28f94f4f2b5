//! The detection of an HTTP endpoint's era.

use crate::{
    http_by_hand::{self, Answer, json_body, serve},
    scripted::{Lines, plain},
    support::{builder, within},
};
use mgp_client_sdk::{
    Era, HttpClientConfig,
    client::{Client, ClientError},
};
use serde_json::{Value, json};
use std::{net::SocketAddr, sync::Arc, time::Duration};
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
async fn an_answer_that_only_earlier_servers_give_leads_to_initialize() {
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
async fn what_stands_before_a_server_is_no_evidence_of_its_era() {
    let rpc = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Unauthorized"}}"#;
    for (status, body) in [
        (401, ""),
        (401, rpc),
        (403, ""),
        (403, rpc),
        (429, ""),
        (500, "oops"),
        (502, rpc),
        (503, ""),
        (504, ""),
    ] {
        let (client, lines) = connect(move |_| Some((status, "application/json", body.to_owned()))).await;
        let error = client.unwrap_err().to_string();
        assert!(error.contains(&status.to_string()), "{error}");
        assert_eq!(lines.methods(), ["server/discover"], "{status} {body}");
    }
}

#[tokio::test]
async fn silence_of_an_endpoint_and_one_that_is_not_there_are_no_evidence_either() {
    let script = |line: &Value| match line["method"].as_str() {
        Some("server/discover") => None,
        _ => Some((202, "text/plain", String::new())),
    };
    let (url, lines) = serve(Arc::new(script)).await;
    let endpoint = url.clone();
    let connecting = tokio::spawn(async move {
        builder()
            .timeout(Duration::from_secs(3600))
            .connect_http(&endpoint, HttpClientConfig::default())
            .await
    });
    lines.wait_for("server/discover", 1).await;
    // The limit of an hour has minutes left after the first two steps, however slow the machine is, and has passed after the third.
    for seconds in [1800, 1500, 301] {
        assert!(!connecting.is_finished(), "{seconds}");
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(seconds)).await;
        tokio::time::resume();
        // Takes the same way as any further request of the client, and begins after it.
        http_by_hand::post(&url, &json!({"method": "later"})).await;
    }
    let error = within(connecting).await.unwrap().unwrap_err();
    assert!(matches!(error, ClientError::Timeout(_)), "{error}");
    assert_eq!(lines.methods(), ["server/discover", "later", "later", "later"]);

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
async fn a_refused_connection_names_the_server_and_no_secret_of_its_url() {
    let (gone, _port) = deaf_address();
    let url = format!("http://name:word@{gone}/secret/mcp?key=k");
    let error = within(builder().connect_http(&url, HttpClientConfig::default())).await.unwrap_err();
    let told = error.to_string();
    let start = format!("could not connect to http://{gone}: failed to reach the server: Connection refused");
    assert!(told.starts_with(&start) && !told.contains("word") && !told.contains("secret"), "{told}");
    // A `main` that returns the error prints this form.
    assert_eq!(format!("{error:?}"), told);
}
