//! The same server over HTTP: each session has its own handshake, and all share the server.

use crate::support::hello;
use mgp_server_sdk::{Server, Tool, task::TaskSupport};
use mgp_transport::http::server::ApiKey;
use mgp_types::context::Principal;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use xtask_testing::until_some;

/// Posts a message and reads the answer: status, session, body.
async fn post(address: std::net::SocketAddr, session: &str, message: Value) -> (u16, String, String) {
    let session = if session.is_empty() { String::new() } else { format!("Mcp-Session-Id: {session}\r\n") };
    post_with(address, &session, message).await
}

/// The same with any more lines of the head.
async fn post_with(address: std::net::SocketAddr, lines: &str, message: Value) -> (u16, String, String) {
    let body = message.to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{lines}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
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
async fn over_http_only_an_allowed_admin_stops_a_server() {
    let (operator, admin) = ApiKey::generate().unwrap();
    let (stranger, agent) = ApiKey::generate().unwrap();
    for allowed in [false, true] {
        let server = Server::new("s", "1").tool(Tool::new("hi", "", async || "hello"));
        let stack = server.shutdown_by_admins(allowed).build().unwrap();
        let http = stack.http().api_key(admin.clone(), Principal::agent("operator").with_admin());
        let http = http.api_key(agent.clone(), Principal::agent("stranger"));
        let serving = http.build().bind("127.0.0.1:0").await.unwrap();
        let address = serving.address();
        let rpc = |id: i64, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        for (key, is_admin) in [(&stranger, false), (&operator, true)] {
            let key = format!("X-API-Key: {key}\r\n");
            let (_, session, _) = post_with(address, &key, rpc(1, "initialize", hello(true))).await;
            let lines = format!("{key}Mcp-Session-Id: {session}\r\n");
            let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            assert_eq!(post_with(address, &lines, initialized).await.0, 202);
            let stop = rpc(2, "mgp/lifecycle/shutdown", json!({"reason": "operator_request"}));
            let (_, _, body) = post_with(address, &lines, stop).await;
            let stops = allowed && is_admin;
            let expected = if stops { r#""accepted":true"# } else { r#""code":1000"# };
            assert!(body.contains(expected), "{allowed} {is_admin}: {body}");
            let (_, _, body) = post_with(address, &lines, rpc(3, "tools/call", json!({"name": "hi"}))).await;
            let expected = if stops { r#""code":2001"# } else { r#""text":"hello""# };
            assert!(body.contains(expected), "{allowed} {is_admin}: {body}");
        }
        serving.shutdown().await;
    }
}

#[tokio::test]
async fn a_publicly_reachable_address_is_refused() {
    let server = Server::new("s", "1").tool(Tool::new("hi", "", async || "hello"));
    let error = server.serve_http("0.0.0.0:0").await.unwrap_err();
    assert!(error.to_string().starts_with("failed to serve over HTTP: refused to serve 0.0.0.0"), "{error}");
}

#[tokio::test]
async fn tasks_are_listed_only_to_their_principal_or_session() {
    let tool =
        || Tool::new("work", "", async || std::future::pending::<String>().await).task(TaskSupport::Required);
    let (text, key) = ApiKey::generate().unwrap();
    let mut setups = Vec::new();
    for known in [false, true] {
        let server = Server::new("s", "1").tool(tool()).build().unwrap().http();
        let (server, lines) = if known {
            let server = server.api_key(key.clone(), Principal::agent("local"));
            (server, format!("X-API-Key: {text}\r\n"))
        } else {
            (server.principal(Principal::agent("everybody")), String::new())
        };
        setups.push((known, server.build().bind("127.0.0.1:0").await.unwrap(), lines));
    }
    for (known, serving, key) in setups {
        let address = serving.address();
        let rpc = |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut sessions = Vec::new();
        for _ in 0..2 {
            let (_, session, _) = post_with(address, &key, rpc("initialize", hello(false))).await;
            let lines = format!("{key}Mcp-Session-Id: {session}\r\n");
            let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            assert_eq!(post_with(address, &lines, initialized).await.0, 202);
            sessions.push(lines);
        }
        let call = rpc("tools/call", json!({"name": "work", "task": {}}));
        let (_, _, body) = post_with(address, &sessions[0], call).await;
        let made: Value = serde_json::from_str(&body).unwrap();
        let id = &made["result"]["task"]["taskId"];
        assert!(id.is_string(), "{body}");
        for (own, session) in [(true, &sessions[0]), (false, &sessions[1])] {
            let (_, _, body) = post_with(address, session, rpc("tasks/list", json!({}))).await;
            let list: Value = serde_json::from_str(&body).unwrap();
            let ids: Vec<_> =
                list["result"]["tasks"].as_array().unwrap().iter().map(|it| &it["taskId"]).collect();
            assert_eq!(ids == [id], own || known, "{body}");
            assert!(ids.len() <= 1, "{body}");
        }
        serving.shutdown().await;
    }
}

#[tokio::test]
async fn a_server_over_http_ends_on_its_signal_after_open_calls() {
    let (begun, begins) = tokio::sync::oneshot::channel();
    let (go_on, goes_on) = tokio::sync::oneshot::channel::<()>();
    let gates = std::sync::Arc::new(std::sync::Mutex::new(Some((begun, goes_on))));
    let tool = Tool::new("work", "", move || {
        let gates = gates.lock().unwrap().take();
        async move {
            let (begun, goes_on) = gates.unwrap();
            begun.send(()).unwrap();
            goes_on.await.unwrap();
            "done"
        }
    });
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let stack = Server::new("s", "1").tool(tool).build().unwrap();
    let http = stack.http().stop_when(async { drop(stopped.await) });
    let serving = http.build().bind("127.0.0.1:0").await.unwrap();
    let address = serving.address();
    assert_eq!(serving.url(), format!("http://{address}/mcp"));
    let running = tokio::spawn(serving.run());
    let rpc = |id: i64, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let (_, session, _) = post(address, "", rpc(1, "initialize", hello(false))).await;
    post(address, &session, json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    let call = rpc(2, "tools/call", json!({"name": "work"}));
    let calling = tokio::spawn(async move { post(address, &session, call).await });
    begins.await.unwrap();
    stop.send(()).unwrap();
    // The end has begun when a new session is refused.
    let refused = async || post(address, "", rpc(3, "initialize", hello(false))).await.0 == 503;
    until_some(async || refused().await.then_some(())).await;
    assert!(!running.is_finished());
    go_on.send(()).unwrap();
    assert!(calling.await.unwrap().2.contains(r#""text":"done""#));
    running.await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}
