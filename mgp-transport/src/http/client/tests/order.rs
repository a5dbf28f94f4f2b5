//! The order in which messages are sent, and their headers of the session.

use super::{HandMadeServer, SeenRequest, events, json, status};
use crate::{
    connection::Connection,
    http::client::{HttpClientConfig, tests::hand_made::echo},
    seam::CallError,
};
use axum::response::Response;
use futures_util::StreamExt;
use mgp_types::{json::RawJson, rpc::RawParams};
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;
use xtask_testing::within;

async fn plain(seen: SeenRequest) -> Response {
    match &*seen.what {
        "POST initialize" => json(&seen, r#"{"protocolVersion":"2025-06-18"}"#),
        "GET" => status(405, ""),
        "DELETE" => status(204, ""),
        what if what.starts_with("POST notifications/") => status(202, ""),
        "POST" => status(202, ""),
        _ => json(&seen, "{}"),
    }
}

#[tokio::test]
async fn session_and_revision_are_sent_after_initialize() {
    let server = HandMadeServer::new(plain).await;
    let config = HttpClientConfig { bearer: Some("k".into()), ..HttpClientConfig::patient() };
    let connection = server.connect_with(config, Connection::builder(echo()));
    let peer = connection.peer().clone();
    peer.request_raw("initialize", RawParams::none()).await.unwrap();
    peer.notify("notifications/initialized", RawParams::none()).await.unwrap();
    peer.request_raw("tools/list", RawParams::none()).await.unwrap();
    server.until("GET", 1).await;
    connection.close().await;
    let seen = server.seen();
    let said = |what: &str, header: &str| {
        let seen = seen.iter().find(|seen| seen.what == what).unwrap();
        seen.headers.get(header).map(|value| value.to_str().unwrap().to_owned())
    };
    assert_eq!(said("POST initialize", "mcp-session-id"), None);
    assert_eq!(said("POST initialize", "mcp-protocol-version"), None);
    assert_eq!(said("POST initialize", "accept").as_deref(), Some("application/json, text/event-stream"));
    assert_eq!(said("POST initialize", "transfer-encoding"), None);
    for what in ["POST notifications/initialized", "POST tools/list", "GET", "DELETE"] {
        assert_eq!(said(what, "mcp-session-id").as_deref(), Some("s-1"), "{what}");
        assert_eq!(said(what, "mcp-protocol-version").as_deref(), Some("2025-06-18"), "{what}");
        assert_eq!(said(what, "authorization").as_deref(), Some("Bearer k"), "{what}");
    }
    assert_eq!(seen.last().unwrap().what, "DELETE");
    // 405 says that there is no such stream; it is not asked for again.
    assert_eq!(seen.iter().filter(|seen| seen.what == "GET").count(), 1);
}

#[tokio::test]
async fn messages_after_initialized_wait_for_its_acceptance() {
    let gate = Arc::new(Notify::new());
    let shared = gate.clone();
    let server = HandMadeServer::new(move |seen| {
        let gate = shared.clone();
        async move {
            if seen.what == "POST notifications/initialized" {
                gate.notified().await;
            }
            plain(seen).await
        }
    })
    .await;
    let connection = server.connect();
    let peer = connection.peer().clone();
    peer.request_raw("initialize", RawParams::none()).await.unwrap();
    peer.notify("notifications/initialized", RawParams::none()).await.unwrap();
    let mut call = peer.start("tools/list", RawParams::none()).await.unwrap();
    server.until("POST notifications/initialized", 1).await;
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.whats(), ["POST initialize", "POST notifications/initialized"]);
    gate.notify_one();
    call.next().await;
    assert!(server.whats().contains(&"POST tools/list".to_owned()));
}

#[tokio::test]
async fn a_sender_waits_if_all_slots_are_taken() {
    let gate = Arc::new(Notify::new());
    let shared = gate.clone();
    let server = HandMadeServer::new(move |seen| {
        let gate = shared.clone();
        async move {
            if seen.what == "POST slow" {
                gate.notified().await;
            }
            plain(seen).await
        }
    })
    .await;
    let config = HttpClientConfig { calls: 1, ..HttpClientConfig::patient() };
    let connection = server.connect_with(config, Connection::builder(echo()));
    let peer = connection.peer().clone();
    let first = peer.start("slow", RawParams::none()).await.unwrap();
    let second = tokio::spawn({
        let peer = peer.clone();
        async move { peer.request_raw("fast", RawJson::empty_object()).await }
    });
    // Notifications have places of their own.
    peer.notify("notifications/message", RawParams::none()).await.unwrap();
    server.until("POST notifications/message", 1).await;
    server.until("POST slow", 1).await;
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    assert!(!server.whats().contains(&"POST fast".to_owned()));
    gate.notify_one();
    first.reply().await.unwrap();
    second.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_cancelled_call_frees_its_slot_despite_an_open_stream() {
    let server = HandMadeServer::new(|seen| async move {
        if seen.what == "POST wait" {
            std::future::pending::<()>().await;
        }
        plain(seen).await
    })
    .await;
    let config = HttpClientConfig { calls: 1, ..HttpClientConfig::patient() };
    let connection = server.connect_with(config, Connection::builder(echo()));
    for count in 1..4 {
        let call = connection.peer().start("wait", RawParams::none()).await.unwrap();
        server.until("POST wait", count).await;
        drop(call);
    }
    connection.peer().request_raw("echo", RawParams::none()).await.unwrap();
    server.until("POST notifications/cancelled", 3).await;
    assert_eq!(server.whats().iter().filter(|what| *what == "POST notifications/cancelled").count(), 3);
}

#[tokio::test]
async fn closing_waits_for_sent_messages() {
    let server = HandMadeServer::new(plain).await;
    let connection = server.connect();
    connection.peer().request_raw("initialize", RawParams::none()).await.unwrap();
    for _ in 0..5 {
        connection.peer().notify("notifications/message", RawParams::none()).await.unwrap();
    }
    connection.close().await;
    let whats = server.whats();
    assert_eq!(whats.iter().filter(|what| *what == "POST notifications/message").count(), 5);
    assert_eq!(whats.last().unwrap(), "DELETE");
}

#[tokio::test]
async fn an_unreadable_response_ends_its_call_on_an_open_stream() {
    let server = HandMadeServer::new(|seen: SeenRequest| async move {
        match &*seen.what {
            "POST odd" => {
                let event = format!(
                    "data: {{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":1,\"error\":{{}}}}\n\n",
                    seen.id
                );
                let stay = futures_util::stream::pending::<Result<String, std::io::Error>>();
                let body = futures_util::stream::iter([Ok(event)]).chain(stay);
                let mut response = events("");
                *response.body_mut() = axum::body::Body::from_stream(body);
                response
            }
            _ => plain(seen).await,
        }
    })
    .await;
    let connection = server.connect();
    let call = connection.peer().request_raw("odd", RawParams::none());
    let error = within(call).await.unwrap_err();
    assert!(matches!(error, CallError::Unreadable(_)), "{error}");
}

#[tokio::test]
async fn a_call_dropped_before_its_headers_does_not_delay_closing() {
    let server = HandMadeServer::new(|seen| async move {
        match &*seen.what {
            "POST slow" => std::future::pending().await,
            _ => plain(seen).await,
        }
    })
    .await;
    let config = HttpClientConfig { close_timeout: Duration::from_secs(3600), ..HttpClientConfig::patient() };
    let connection = server.connect_with(config, Connection::builder(echo()));
    let call = connection.peer().start("slow", RawParams::none()).await.unwrap();
    server.until("POST slow", 1).await;
    drop(call);
    within(connection.close()).await;
    server.until("POST notifications/cancelled", 1).await;
}

#[tokio::test]
async fn a_stream_that_goes_on_after_the_answer_holds_no_slot() {
    let server = HandMadeServer::new(|seen| async move {
        if seen.what != "POST chatty" {
            return plain(seen).await;
        }
        let answer = format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":1}}\n\n", seen.id);
        let chat = futures_util::stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            Some((Ok::<_, std::io::Error>(": and another thing\n\n".to_owned()), ()))
        });
        let first = futures_util::stream::once(async move { Ok(answer) });
        let mut response = events("");
        *response.body_mut() = axum::body::Body::from_stream(first.chain(chat));
        response
    })
    .await;
    let config = HttpClientConfig { calls: 1, ..HttpClientConfig::patient() };
    let connection = server.connect_with(config, Connection::builder(echo()));
    for method in ["chatty", "tools/list"] {
        let call = connection.peer().request_raw(method, RawParams::none());
        within(call).await.unwrap();
    }
}
