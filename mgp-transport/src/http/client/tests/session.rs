//! A session that the server has forgotten.

use super::{HandMadeServer, SeenRequest, events, json, status};
use crate::{http::client::HttpConnection, seam::CallError};
use axum::response::Response;
use mgp_types::{error::Recovery, json::RawJson, rpc::RawParams};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// The sessions of a server, named s-1, s-2 and so on. The server knows only the one that a test says.
#[derive(Debug, Default)]
pub(super) struct ForgetfulServer {
    pub(super) opened: AtomicUsize,
    known: AtomicUsize,
}

impl ForgetfulServer {
    /// Opens a session, which the server knows from then on.
    pub(super) fn open(&self, seen: &SeenRequest, version: &str) -> Response {
        let number = self.opened.fetch_add(1, Ordering::SeqCst) + 1;
        self.known.store(number, Ordering::SeqCst);
        let mut response = json(seen, &format!(r#"{{"protocolVersion":"{version}"}}"#));
        let name = format!("s-{number}").parse().unwrap();
        response.headers_mut().insert("mcp-session-id", name);
        response
    }

    pub(super) fn knows(&self, seen: &SeenRequest) -> bool {
        let known = format!("s-{}", self.known.load(Ordering::SeqCst));
        seen.headers.get("mcp-session-id").is_some_and(|session| *session == *known)
    }

    pub(super) fn forget(&self) {
        self.known.store(0, Ordering::SeqCst);
    }
}

/// Starts a server that can forget its session. `answer` handles the other requests on a session that it knows.
async fn forgetful(
    answer: impl Fn(&SeenRequest, &ForgetfulServer) -> Response + Clone + Send + Sync + 'static,
) -> (HandMadeServer, Arc<ForgetfulServer>) {
    let state = Arc::new(ForgetfulServer::default());
    let shared = state.clone();
    let server = HandMadeServer::new(move |seen| {
        let (state, answer) = (shared.clone(), answer.clone());
        async move {
            match &*seen.what {
                "POST initialize" => state.open(&seen, "2025-06-18"),
                "GET" => status(405, ""),
                _ if !state.knows(&seen) => status(404, ""),
                "POST notifications/initialized" => status(202, ""),
                _ => answer(&seen, &state),
            }
        }
    })
    .await;
    (server, state)
}

pub(super) fn plain(seen: &SeenRequest, _: &ForgetfulServer) -> Response {
    if seen.id.is_empty() { status(202, "") } else { json(seen, r#""done""#) }
}

pub(super) async fn open(server: &HandMadeServer) -> HttpConnection {
    handshake(server, server.connect()).await
}

/// Opens the session of a connection.
pub(super) async fn handshake(server: &HandMadeServer, connection: HttpConnection) -> HttpConnection {
    connection.peer().request_raw("initialize", RawJson::empty_object()).await.unwrap();
    connection.peer().notify("notifications/initialized", RawParams::none()).await.unwrap();
    server.until("POST notifications/initialized", 1).await;
    connection
}

#[tokio::test]
async fn a_forgotten_session_is_reopened_and_the_message_resent() {
    let (server, state) = forgetful(plain).await;
    let connection = open(&server).await;
    let mut renewals = connection.renewals();
    state.forget();
    assert_eq!(connection.peer().request_raw("x", RawParams::none()).await.unwrap().as_str(), r#""done""#);
    assert!(renewals.has_changed().unwrap() && *renewals.borrow_and_update() == 1);
    let whats: Vec<_> = server.whats().into_iter().filter(|what| what != "GET").collect();
    let handshake = ["POST initialize", "POST notifications/initialized"];
    assert_eq!(whats[..2], handshake);
    assert_eq!(whats[2..], ["POST x", handshake[0], handshake[1], "POST x"]);
    let seen = server.seen();
    let again = seen.iter().rfind(|seen| seen.what == "POST initialize").unwrap();
    assert!(again.headers.get("mcp-session-id").is_none());
    assert_eq!(again.id, seen[0].id);
    // It may happen again later.
    state.forget();
    connection.peer().notify("notifications/message", RawParams::none()).await.unwrap();
    server.until("POST notifications/message", 2).await;
    connection.close().await;
    let last = server.seen().pop().unwrap();
    assert_eq!((&*last.what, last.headers["mcp-session-id"].to_str().unwrap()), ("DELETE", "s-3"));
}

#[tokio::test]
async fn concurrent_calls_on_a_forgotten_session_open_one() {
    let (server, state) = forgetful(plain).await;
    let connection = open(&server).await;
    state.forget();
    let calls = (0..20).map(|_| connection.peer().request_raw("x", RawParams::none()));
    for result in futures_util::future::join_all(calls).await {
        result.unwrap();
    }
    assert_eq!(state.opened.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_second_404_in_a_row_closes_the_connection() {
    let (server, state) = forgetful(|seen, state| {
        state.forget();
        if seen.what == "POST x" { status(404, "") } else { json(seen, "{}") }
    })
    .await;
    let connection = open(&server).await;
    let error = connection.peer().request_raw("x", RawParams::none()).await.unwrap_err();
    let CallError::Peer(error) = error else {
        panic!("expected the answer of a call that did not run: {error}")
    };
    assert!(Recovery::from_error(&error).unwrap().retryable, "{error}");
    assert!(error.to_string().contains("again on a new session"), "{error}");
    assert!(connection.closed().await.to_string().contains("the session expired"));
    assert_eq!(state.opened.load(Ordering::SeqCst), 2);
    assert!(!server.whats().contains(&"DELETE".to_owned()));
}

#[tokio::test]
async fn a_session_that_cannot_be_reopened_closes_the_connection() {
    for (again, part) in [("refuse", "HTTP 503"), ("other", "another revision")] {
        let state = Arc::new(ForgetfulServer::default());
        let shared = state.clone();
        let server = HandMadeServer::new(move |seen| {
            let state = shared.clone();
            async move {
                let first = state.opened.load(Ordering::SeqCst) == 0;
                match &*seen.what {
                    "POST initialize" if first => state.open(&seen, "2025-06-18"),
                    "POST initialize" if again == "other" => state.open(&seen, "2024-11-05"),
                    "POST initialize" => status(503, ""),
                    "POST notifications/initialized" => status(202, ""),
                    "GET" => status(405, ""),
                    _ => status(404, ""),
                }
            }
        })
        .await;
        let connection = open(&server).await;
        let error = connection.peer().request_raw("x", RawParams::none()).await.unwrap_err().to_string();
        assert!(error.contains("could not be opened again") && error.contains(part), "{error}");
        let why = connection.closed().await.to_string();
        assert!(why.contains(part), "{why}");
    }
}

#[tokio::test]
async fn calls_on_other_streams_fail_and_are_not_resent() {
    let (server, state) = forgetful(|seen, _| {
        if seen.what != "POST slow" {
            return json(seen, "{}");
        }
        let mut response = events("");
        let stay = futures_util::stream::pending::<Result<String, std::io::Error>>();
        *response.body_mut() = axum::body::Body::from_stream(stay);
        response
    })
    .await;
    let connection = open(&server).await;
    let slow = connection.peer().start("slow", RawParams::none()).await.unwrap();
    server.until("POST slow", 1).await;
    connection.peer().request_raw("x", RawParams::none()).await.unwrap();
    state.forget();
    connection.peer().request_raw("x", RawParams::none()).await.unwrap();
    let error = slow.reply().await.unwrap_err();
    assert!(error.to_string().contains("forgot the session"), "{error}");
    assert_eq!(server.whats().iter().filter(|what| *what == "POST slow").count(), 1);
}

#[tokio::test]
async fn answers_for_a_lost_session_are_not_sent_to_the_next() {
    let state = Arc::new(ForgetfulServer::default());
    let shared = state.clone();
    let server = HandMadeServer::new(move |seen| {
        let state = shared.clone();
        async move {
            match &*seen.what {
                "POST initialize" => state.open(&seen, "2025-06-18"),
                // It asks once, and forgets before it is answered.
                "GET" if state.knows(&seen) && state.opened.load(Ordering::SeqCst) == 1 => {
                    state.forget();
                    events("data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"roots/list\"}\n\n")
                }
                "GET" => status(405, ""),
                _ if !state.knows(&seen) => status(404, ""),
                _ if seen.id.is_empty() => status(202, ""),
                _ => json(&seen, "{}"),
            }
        }
    })
    .await;
    let connection = open(&server).await;
    server.until("POST initialize", 2).await;
    connection.peer().request_raw("x", RawParams::none()).await.unwrap();
    let answers: Vec<_> = server.seen().into_iter().filter(|seen| seen.what == "POST").collect();
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0].headers["mcp-session-id"], "s-1");
}

#[tokio::test]
async fn a_late_404_of_the_previous_session_opens_no_other() {
    let (state, gate) = (Arc::new(ForgetfulServer::default()), Arc::new(tokio::sync::Notify::new()));
    let shared = (state.clone(), gate.clone());
    let server = HandMadeServer::new(move |seen| {
        let (state, gate) = shared.clone();
        async move {
            match &*seen.what {
                "POST initialize" => state.open(&seen, "2025-06-18"),
                "GET" => status(405, ""),
                "POST late" if seen.headers["mcp-session-id"] == "s-1" => {
                    gate.notified().await;
                    status(404, "")
                }
                _ if !state.knows(&seen) => status(404, ""),
                _ => plain(&seen, &state),
            }
        }
    })
    .await;
    let connection = open(&server).await;
    let late = connection.peer().start("late", RawParams::none()).await.unwrap();
    server.until("POST late", 1).await;
    state.forget();
    connection.peer().request_raw("x", RawParams::none()).await.unwrap();
    gate.notify_one();
    assert_eq!(late.reply().await.unwrap().as_str(), r#""done""#);
    assert_eq!(state.opened.load(Ordering::SeqCst), 2);
}
