//! The same server over HTTP: each session has its own handshake, and all share the server.

use crate::support::hello;
use mgp_server_sdk::{Server, Tool};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Posts a message and reads the answer: status, session, body.
async fn post(address: std::net::SocketAddr, session: &str, message: Value) -> (u16, String, String) {
    let body = message.to_string();
    let session = if session.is_empty() { String::new() } else { format!("Mcp-Session-Id: {session}\r\n") };
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{session}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let session = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("mcp-session-id").then(|| value.to_owned())
    });
    (status, session.unwrap_or_default(), body.to_owned())
}

#[tokio::test]
async fn a_tool_is_called_over_http_by_plain_and_mgp_clients_alike() {
    let stack = Server::new("s", "1").tool(Tool::new("hi", "", async || "hello")).build().unwrap();
    let serving = stack.http().build().bind("127.0.0.1:0").await.unwrap();
    let address = serving.address();
    for mgp in [true, false] {
        let rpc = |id: i64, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let (status, session, body) = post(address, "", rpc(1, "initialize", hello(mgp))).await;
        assert_eq!(status, 200, "{body}");
        assert_eq!(body.contains("mgp"), mgp, "{body}");
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(post(address, &session, initialized).await.0, 202);
        let (_, _, body) = post(address, &session, rpc(2, "tools/call", json!({"name": "hi"}))).await;
        assert!(body.contains(r#""text":"hello""#), "{body}");
        let (_, _, body) = post(address, &session, rpc(3, "tools/call", json!({"name": "ho"}))).await;
        let code = if mgp { 4001 } else { -32602 };
        assert!(body.contains(&format!(r#""code":{code}"#)), "{body}");
    }
    serving.shutdown().await;
}

#[tokio::test]
async fn an_address_that_others_can_reach_is_refused() {
    let server = Server::new("s", "1").tool(Tool::new("hi", "", async || "hello"));
    let error = server.serve_http(([0, 0, 0, 0], 0)).await.unwrap_err();
    assert!(error.to_string().starts_with("failed to serve over HTTP: refused to serve 0.0.0.0"), "{error}");
}
