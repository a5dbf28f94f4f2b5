//! Streams that a server opens: on a call, and its own.

use super::{HandMadeServer, SeenRequest, events, json, status};
use crate::{
    connection::Connection,
    http::client::{HttpClient, HttpClientConfig, driver::STREAM_FIRST},
    seam::{BoxError, CallEvent, Incoming, Reply, boxed},
};
use axum::response::Response;
use mgp_types::{json::RawJson, rpc::RawParams};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::mpsc;

fn fast() -> HttpClientConfig {
    HttpClientConfig {
        reconnect_delay: Duration::from_millis(1),
        min_reconnect_delay: Duration::from_millis(1),
        reconnects: 3,
        ..HttpClientConfig::patient()
    }
}

#[tokio::test]
async fn messages_before_the_answer_reach_the_caller_first() {
    let server = HandMadeServer::new(|seen| async move {
        let id = &seen.id;
        events(&format!(
            ": hello\r\n\r\nid: 1\r\ndata:\r\n\r\nevent: message\r\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\r\ndata: \"params\":{{\"progressToken\":{id},\"progress\":1}}}}\r\n\r\ndata: {{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"notifications/mgp.stream.chunk\",\"params\":{{\"request_id\":{id}}}}}\r\n\r\nevent: other\r\ndata: x\r\n\r\ndata: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":7}}\r\n\r\n"
        ))
    })
    .await;
    let connection = server.connect();
    let mut call = connection.peer().start("x", RawParams::none()).await.unwrap();
    for method in ["notifications/progress", "notifications/mgp.stream.chunk"] {
        assert!(matches!(call.next().await, CallEvent::Notification(n) if n.method == method));
    }
    assert!(matches!(call.next().await, CallEvent::Reply(Ok(result)) if result.as_str() == "7"));
}

#[tokio::test]
async fn an_answer_with_its_id_as_text_ends_the_exchange() {
    let server = HandMadeServer::new(|seen| async move {
        let id = format!("{:?}", seen.id);
        match &*seen.what {
            "POST initialize" => json_under(&seen, &id, r#"{"protocolVersion":"2025-06-18"}"#),
            "POST x" => {
                events(&format!("id: e1\ndata: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":7}}\n\n"))
            }
            _ => status(202, ""),
        }
    })
    .await;
    let connection = server.connect_with(fast(), Connection::builder(super::hand_made::echo()));
    connection.peer().request_raw("initialize", RawJson::empty_object()).await.unwrap();
    let result = connection.peer().request_raw("x", RawParams::none()).await.unwrap();
    assert_eq!(result.as_str(), "7");
    connection.close().await;
    let seen = server.seen();
    let call = seen.iter().find(|seen| seen.what == "POST x").unwrap();
    assert_eq!(call.headers["mcp-protocol-version"], "2025-06-18");
    assert!(!seen.iter().any(|seen| seen.what == "GET"), "nothing is resumed: {:?}", server.whats());
}

/// Returns a result as JSON under another id than that of the request.
fn json_under(seen: &SeenRequest, id: &str, result: &str) -> Response {
    json(&SeenRequest { id: id.to_owned(), ..seen.clone() }, result)
}

#[tokio::test]
async fn a_broken_stream_is_resumed_after_its_last_event() {
    let server = HandMadeServer::new(|seen| async move {
        match (&*seen.what, seen.headers.get("last-event-id").map(|id| id.to_str().unwrap())) {
            ("POST x", None) => events("id: e1\nretry: 1\ndata:\n\n"),
            ("GET", Some("e1")) => events("id: e2\ndata:\n\n"),
            ("GET", Some("e2")) => events("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"resumed\"}\n\n"),
            _ => status(400, ""),
        }
    })
    .await;
    let connection = server.connect_with(fast(), Connection::builder(super::hand_made::echo()));
    let result = connection.peer().request_raw("x", RawParams::none()).await.unwrap();
    assert_eq!(result.as_str(), r#""resumed""#);
    assert_eq!(server.whats(), ["POST x", "GET", "GET"]);
}

#[tokio::test]
async fn resuming_is_given_up_after_a_bounded_number_of_failures() {
    let server = HandMadeServer::new(|seen| async move {
        match &*seen.what {
            "POST x" => events("id: e1\ndata:\n\n"),
            _ => status(503, ""),
        }
    })
    .await;
    let connection = server.connect_with(fast(), Connection::builder(super::hand_made::echo()));
    let error = connection.peer().request_raw("x", RawParams::none()).await.unwrap_err();
    assert!(error.to_string().contains("without an answer"), "{error}");
    assert_eq!(server.seen().len(), 4);
}

#[tokio::test]
async fn the_server_stream_is_opened_after_initialized_and_reopened() {
    let server = HandMadeServer::new(|seen| async move {
        match &*seen.what {
            "POST initialize" => json(&seen, "{}"),
            "GET" => events("data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"roots/list\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"notifications/mgp.lifecycle\"}\n\n"),
            _ => status(202, ""),
        }
    })
    .await;
    let (sender, mut heard) = mpsc::unbounded_channel();
    let service = tower::service_fn(move |incoming: Incoming| {
        let _ = sender.send(incoming.method.to_string());
        let reply = incoming.id.map_or(Reply::none(), |_| Reply::ok(RawJson::empty_object()));
        async move { Ok::<_, BoxError>(reply) }
    });
    let connection = server.connect_with(fast(), Connection::builder(boxed(service)));
    connection.peer().request_raw("initialize", RawParams::none()).await.unwrap();
    assert!(!server.whats().contains(&"GET".to_owned()));
    connection.peer().notify("notifications/initialized", RawParams::none()).await.unwrap();
    assert_eq!(heard.recv().await.unwrap(), "roots/list");
    assert_eq!(heard.recv().await.unwrap(), "notifications/x");
    assert_eq!(heard.recv().await.unwrap(), "notifications/mgp.lifecycle");
    // The answer to what the server asked is a POST of its own.
    server.until("POST", 1).await;
    server.until("GET", 3).await;
    let answer = server.seen().into_iter().find(|seen| seen.what == "POST").unwrap();
    assert_eq!(answer.id, "\"q\"");
    connection.close().await;
}

#[tokio::test]
async fn the_server_stream_is_opened_before_other_messages() {
    for held_back in [false, true] {
        let answered = Arc::new(AtomicBool::new(false));
        let server = HandMadeServer::new(move |seen| {
            let answered = answered.clone();
            async move {
                match &*seen.what {
                    "POST initialize" => json(&seen, "{}"),
                    "POST ping" => json(&seen, &answered.load(Ordering::SeqCst).to_string()),
                    "GET" if held_back => std::future::pending().await,
                    "GET" => {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        answered.store(true, Ordering::SeqCst);
                        status(405, "")
                    }
                    _ => status(202, ""),
                }
            }
        })
        .await;
        // A stream that is answered may take its time on a busy machine.
        let limit = if held_back { STREAM_FIRST } else { Duration::from_secs(120) };
        let builder = Connection::builder(super::hand_made::echo());
        let connection = HttpClient::connect_with(&server.url(), fast(), builder, limit).unwrap();
        connection.peer().request_raw("initialize", RawParams::none()).await.unwrap();
        connection.peer().notify("notifications/initialized", RawParams::none()).await.unwrap();
        server.until("GET", 1).await;
        let stood = connection.peer().request_raw("ping", RawParams::none()).await.unwrap();
        assert_eq!(stood.as_str(), (!held_back).to_string());
        assert_eq!(server.whats()[2..], ["GET", "POST ping"]);
    }
}

#[tokio::test]
async fn only_a_temporary_refusal_is_retried() {
    for (code, again) in [(408, true), (425, true), (429, true), (503, true), (400, false), (410, false)] {
        let server = HandMadeServer::new(move |seen| async move {
            match &*seen.what {
                "POST x" => events("id: e1\ndata:\n\n"),
                _ => status(code, ""),
            }
        })
        .await;
        let connection = server.connect_with(fast(), Connection::builder(super::hand_made::echo()));
        connection.peer().request_raw("x", RawParams::none()).await.unwrap_err();
        assert_eq!(server.seen().len(), if again { 4 } else { 2 }, "{code}");
    }
}

#[tokio::test]
async fn the_server_stream_restarts_if_its_position_is_unknown() {
    let server = HandMadeServer::new(|seen| async move {
        match (&*seen.what, seen.headers.contains_key("last-event-id")) {
            ("POST initialize", _) => json(&seen, "{}"),
            ("GET", true) => status(410, ""),
            ("GET", false) => events("id: e1\ndata:\n\n"),
            _ => status(202, ""),
        }
    })
    .await;
    let connection = server.connect_with(fast(), Connection::builder(super::hand_made::echo()));
    connection.peer().request_raw("initialize", RawParams::none()).await.unwrap();
    connection.peer().notify("notifications/initialized", RawParams::none()).await.unwrap();
    server.until("GET", 5).await;
    let asked = server.seen().into_iter().filter(|seen| seen.what == "GET");
    let named: Vec<_> = asked.map(|seen| seen.headers.contains_key("last-event-id")).take(5).collect();
    assert_eq!(named, [false, true, false, true, false]);
}
