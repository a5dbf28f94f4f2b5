//! HTTP+SSE, against servers made by hand.

use super::{HandMadeServer, SeenRequest, events, json, status};
use crate::{
    connection::Connection,
    http::client::{ClientTransport, HttpClientConfig, HttpConnection, tests::hand_made::echo},
    seam::CallError,
};
use axum::{body::Body, response::Response};
use futures_util::StreamExt;
use mgp_types::{error::Recovery, rpc::RawParams};
use std::time::Duration;

/// A time limit of the handshake that even a slow machine keeps.
const AMPLE: Duration = Duration::from_secs(120);

fn connect(server: &HandMadeServer, transport: ClientTransport, limit: Duration) -> HttpConnection {
    let config = HttpClientConfig { transport, handshake_timeout: limit, ..HttpClientConfig::patient() };
    server.connect_with(config, Connection::builder(echo()))
}

/// Returns a stream that begins with a text and stays open.
fn open_stream(text: &str) -> Response {
    let first = futures_util::stream::iter([Ok::<_, std::io::Error>(text.to_owned())]);
    let mut response = events("");
    *response.body_mut() = Body::from_stream(first.chain(futures_util::stream::pending()));
    response
}

async fn refused(
    answer: impl Fn(&SeenRequest) -> Response + Clone + Send + Sync + 'static,
) -> (String, Vec<String>) {
    refused_within(AMPLE, answer).await
}

async fn refused_within(
    limit: Duration,
    answer: impl Fn(&SeenRequest) -> Response + Clone + Send + Sync + 'static,
) -> (String, Vec<String>) {
    let server = HandMadeServer::new(move |seen| {
        let response = answer(&seen);
        async move { response }
    })
    .await;
    let connection = connect(&server, ClientTransport::Auto, limit);
    let error = connection.peer().request_raw("initialize", RawParams::none()).await.unwrap_err();
    (error.to_string(), server.whats())
}

#[tokio::test]
async fn only_a_missing_endpoint_leads_to_the_other_transport() {
    let rpc = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}"#;
    for (code, body, asks) in [
        (400, "", true),
        (404, "Cannot POST", true),
        (405, "", true),
        (400, rpc, false),
        (404, rpc, false),
        (401, "", false),
        (403, "", false),
        (500, "", false),
    ] {
        let (error, whats) = refused(move |seen| match &*seen.what {
            "GET" => status(405, ""),
            _ => status(code, body),
        })
        .await;
        assert_eq!(whats.contains(&"GET".to_owned()), asks, "{code} {body}: {error}");
        assert_eq!(error.contains("it offers no HTTP+SSE"), asks, "{error}");
    }
}

#[tokio::test]
async fn an_endpoint_of_another_server_is_not_used() {
    let other = HandMadeServer::new(|seen| async move { json(&seen, "{}") }).await;
    for address in [other.url(), format!("//{}/x", other.address), "http://".to_owned()] {
        let (error, _) = refused(move |seen| match &*seen.what {
            "GET" => open_stream(&format!("event: endpoint\ndata: {address}\n\n")),
            _ => status(404, ""),
        })
        .await;
        assert!(error.contains("an address of the same server"), "{error}");
    }
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn a_stream_without_an_endpoint_is_given_up() {
    for (text, limit, part) in [
        ("", Duration::from_millis(50), "no endpoint event came within 50ms"),
        ("event: message\ndata: {}\n\n", AMPLE, r#"expected endpoint, found "message""#),
    ] {
        let (error, _) = refused_within(limit, move |seen| match &*seen.what {
            "GET" => open_stream(text),
            _ => status(404, ""),
        })
        .await;
        assert!(error.contains(part), "{error}");
    }
    let (error, _) = refused(|seen| if seen.what == "GET" { events("") } else { status(404, "") }).await;
    assert!(error.contains("ended without an endpoint event"), "{error}");
}

#[tokio::test]
async fn the_end_of_the_stream_ends_the_connection() {
    let server = HandMadeServer::new(|seen| async move {
        match &*seen.what {
            "GET" => events("event: endpoint\ndata: /messages?s=1\n\nid: 7\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2024-11-05\"}}\n\n"),
            _ => status(202, ""),
        }
    })
    .await;
    let connection = connect(&server, ClientTransport::HttpSse, AMPLE);
    // It may have read the end before the answer was asked for.
    let _ = connection.peer().request_raw("initialize", RawParams::none()).await;
    let why = connection.closed().await.to_string();
    assert!(why.contains("cannot resume it: it ended"), "{why}");
    assert_eq!(server.whats().iter().filter(|what| *what == "GET").count(), 1);
}

#[tokio::test]
async fn a_message_refused_for_its_lost_session_did_not_run() {
    const STREAM: &str = "event: endpoint\ndata: /messages?s=1\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2024-11-05\"}}\n\n";
    for (code, body) in [(404, ""), (410, ""), (400, "No transport found for sessionId"), (400, "")] {
        let server = HandMadeServer::new(move |seen| async move {
            match &*seen.what {
                "GET" => open_stream(STREAM),
                "POST initialize" => status(202, ""),
                _ => status(code, body),
            }
        })
        .await;
        let connection = connect(&server, ClientTransport::HttpSse, AMPLE);
        connection.peer().request_raw("initialize", RawParams::none()).await.unwrap();
        let error = connection.peer().request_raw("x", RawParams::none()).await.unwrap_err();
        let CallError::Peer(error) = error else { panic!("not an answer: {error}") };
        assert!(Recovery::from_error(&error).unwrap().retryable, "{error}");
        let why = connection.closed().await.to_string();
        assert!(why.contains("no longer knows the session of its only stream"), "{why}");
    }
}

#[tokio::test]
async fn a_refused_message_is_an_error_of_its_call() {
    let server = HandMadeServer::new(|seen| async move {
        match &*seen.what {
            "GET" => open_stream("event: endpoint\ndata: messages?s=1\n\n"),
            _ => status(413, "too long"),
        }
    })
    .await;
    let connection = connect(&server, ClientTransport::HttpSse, AMPLE);
    let error = connection.peer().request_raw("initialize", RawParams::none()).await.unwrap_err();
    assert!(error.to_string().contains("HTTP 413"), "{error}");
    assert_eq!(server.seen()[1].path, "/messages");
}
