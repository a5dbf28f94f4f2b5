//! Requests of stateless revisions.

use super::{HandMadeServer, SeenRequest, events, json, status};
use crate::{
    http::client::HttpConnection,
    seam::{CallError, CallEvent},
};
use axum::{body::Body, response::Response};
use futures_util::{StreamExt, stream};
use mgp_types::{
    json::RawJson,
    mcp::{ClientCapabilities, ProtocolVersion, stateless::RequestEnvelope},
};
use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use xtask_testing::{until, within};

/// Connects to a server that speaks a stateless revision.
fn connect(server: &HandMadeServer) -> HttpConnection {
    let connection = server.connect();
    connection.peer().speak_stateless(RequestEnvelope {
        version: ProtocolVersion::V2026_07_28,
        capabilities: ClientCapabilities::default(),
        client_info: None,
        log_level: None,
    });
    connection
}

fn params(text: &str) -> RawJson {
    RawJson::parse(text.to_owned()).unwrap()
}

#[tokio::test]
async fn headers_repeat_the_body_and_there_is_no_session() {
    let server = HandMadeServer::new(|seen| async move {
        let mut answer = json(&seen, "{}");
        // A server that does not know better.
        answer.headers_mut().insert("mcp-session-id", "s-1".parse().unwrap());
        answer
    })
    .await;
    let connection = connect(&server);
    for (method, text, name) in [
        ("tools/call", r#"{"name":"plain"}"#, Some("plain")),
        ("prompts/get", r#"{"name":"Zürich"}"#, Some("=?base64?WsO8cmljaA==?=")),
        ("resources/read", r#"{"uri":"a:1"}"#, Some("a:1")),
        ("tools/list", "{}", None),
    ] {
        within(connection.peer().request_raw(method, params(text))).await.unwrap();
        let SeenRequest { headers, what, .. } = server.seen().pop().unwrap();
        assert_eq!(what, format!("POST {method}"));
        let header = |name: &str| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(header("mcp-protocol-version").as_deref(), Some("2026-07-28"));
        assert_eq!(header("mcp-method").as_deref(), Some(method));
        assert_eq!(header("mcp-name").as_deref(), name);
        assert_eq!(header("mcp-session-id"), None);
    }
    within(connection.close()).await;
    assert!(server.whats().iter().all(|what| what.starts_with("POST ")), "{:?}", server.whats());
}

/// A flag that is set when this value is dropped.
struct DropFlag(Arc<AtomicBool>);

impl Drop for DropFlag {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_cancelled_call_closes_its_response() {
    let closed = Arc::new(AtomicBool::new(false));
    let shared = closed.clone();
    let server = HandMadeServer::new(move |_| {
        let held = DropFlag(shared.clone());
        async move {
            let first = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":1}}\n\n";
            let first = stream::once(async move { Ok::<_, Infallible>(first) });
            let rest = stream::pending().map(move |never| {
                let _ = &held;
                never
            });
            let mut response = Response::new(Body::from_stream(first.chain(rest)));
            response.headers_mut().insert("content-type", "text/event-stream".parse().unwrap());
            response
        }
    })
    .await;
    let connection = connect(&server);
    let mut call = within(connection.peer().start("tools/call", params(r#"{"name":"a"}"#))).await.unwrap();
    assert!(matches!(within(call.next()).await, CallEvent::Notification(_)));
    assert!(!closed.load(Ordering::SeqCst));
    drop(call);
    until(|| closed.load(Ordering::SeqCst)).await;
    assert_eq!(server.whats(), ["POST tools/call"]);
}

#[tokio::test]
async fn a_broken_stream_is_not_resumed_and_its_call_fails() {
    let server = HandMadeServer::new(|seen| async move {
        match &*seen.what {
            "POST tools/call" => events("id: e1\nretry: 1\ndata:\n\n"),
            _ => status(500, ""),
        }
    })
    .await;
    let connection = connect(&server);
    let lost = within(connection.peer().request_raw("tools/call", params(r#"{"name":"a"}"#))).await;
    assert!(matches!(&lost, Err(CallError::Peer(_) | CallError::Unreadable(_))), "{lost:?}");
    assert_eq!(server.whats(), ["POST tools/call"]);
}

#[tokio::test]
async fn an_error_keeps_its_code_whatever_the_status() {
    for (code, http) in [(-32601, 404), (-32020, 400), (-32021, 400), (-32022, 400), (-32602, 200)] {
        let server = HandMadeServer::new(move |seen| async move {
            let error = format!(r#"{{"code":{code},"message":"as asked"}}"#);
            let text = format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, seen.id);
            let mut response = status(http, &text);
            response.headers_mut().insert("content-type", "application/json".parse().unwrap());
            response
        })
        .await;
        let connection = connect(&server);
        let failed = within(connection.peer().request_raw("tools/call", params(r#"{"name":"a"}"#))).await;
        assert!(matches!(&failed, Err(CallError::Peer(error)) if error.code == code), "{failed:?}");
        assert_eq!(server.whats().len(), 1, "it is not sent again");
    }
}

#[tokio::test]
async fn a_server_s_request_on_a_response_is_not_answered() {
    let server = HandMadeServer::new(|seen| async move {
        let question = r#"{"jsonrpc":"2.0","id":"q","method":"roots/list"}"#;
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{}}}}"#, seen.id);
        events(&format!("data: {question}\n\ndata: {answer}\n\n"))
    })
    .await;
    let connection = connect(&server);
    within(connection.peer().request_raw("tools/call", params(r#"{"name":"a"}"#))).await.unwrap();
    within(connection.peer().request_raw("tools/list", params("{}"))).await.unwrap();
    within(connection.close()).await;
    assert_eq!(server.whats(), ["POST tools/call", "POST tools/list"]);
}
