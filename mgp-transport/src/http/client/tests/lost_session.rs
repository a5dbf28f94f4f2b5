//! Refusals by which servers tell that they have forgotten a session, other than 404.

use super::{
    HandMadeServer, SeenRequest, events,
    hand_made::echo,
    session::{ForgetfulServer, handshake, open, plain},
    status,
};
use crate::{
    connection::Connection,
    http::client::{HttpClientConfig, HttpConnection},
    seam::CallError,
};
use axum::response::Response;
use mgp_types::{
    error::{ErrorCode, Recovery},
    rpc::{ErrorObject, RawParams},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::Notify;
use xtask_testing::{until_some, within};

/// The refusal of the official servers of MCP.
const NO_SESSION: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}"#;

/// Starts a server that refuses what comes on a session that it does not know with `refusal`, and answers everything else with `answer`.
async fn forgetful(
    refusal: impl Fn(&SeenRequest) -> Response + Clone + Send + Sync + 'static,
    answer: impl Fn(&SeenRequest, &ForgetfulServer) -> Response + Clone + Send + Sync + 'static,
) -> (HandMadeServer, Arc<ForgetfulServer>) {
    let state = Arc::new(ForgetfulServer::default());
    let shared = state.clone();
    let server = HandMadeServer::new(move |seen| {
        let (state, refusal, answer) = (shared.clone(), refusal.clone(), answer.clone());
        async move {
            match &*seen.what {
                "POST initialize" => state.open(&seen, "2025-06-18"),
                "GET" => status(405, ""),
                _ if !state.knows(&seen) => refusal(&seen),
                _ => answer(&seen, &state),
            }
        }
    })
    .await;
    (server, state)
}

/// Returns an error of JSON-RPC that answers a request with 200.
fn answered(seen: &SeenRequest, message: &str) -> Response {
    let error = format!(r#"{{"code":-32001,"message":"{message}"}}"#);
    let mut response = status(200, &format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, seen.id));
    response.headers_mut().insert("content-type", "application/json".parse().unwrap());
    response
}

fn count(server: &HandMadeServer, what: &str) -> usize {
    server.whats().iter().filter(|seen| *seen == what).count()
}

async fn call(connection: &HttpConnection) -> Result<String, ErrorObject> {
    match connection.peer().request_raw("x", RawParams::none()).await {
        Ok(result) => Ok(result.as_str().to_owned()),
        Err(CallError::Peer(error)) => Err(error),
        Err(other) => panic!("expected an answer, found {other}"),
    }
}

#[tokio::test]
async fn a_session_refused_in_a_custom_way_is_reopened() {
    for (code, body, pings) in [
        (410, "", 0),
        (400, NO_SESSION, 1),
        (400, "Invalid session ID", 1),
        (400, "", 1),
        (401, "Unauthorized: Session not found", 1),
        (401, "", 1),
        (403, "unknown session", 1),
        (422, r#"{"error":"session_expired"}"#, 1),
    ] {
        let (server, state) = forgetful(move |_| status(code, body), plain).await;
        let connection = open(&server).await;
        let renewals = connection.renewals();
        for round in 1..=2 {
            state.forget();
            assert_eq!(call(&connection).await.unwrap(), r#""done""#, "{code} {body}");
            let counts = ["POST initialize", "POST x", "POST ping"].map(|what| count(&server, what));
            assert_eq!(counts, [1 + round, 2 * round, pings * round], "{code} {body}");
            assert_eq!(*renewals.borrow(), round as u64, "{code} {body}");
        }
    }
}

#[tokio::test]
async fn concurrent_refusals_cause_one_probe_and_one_session() {
    let (server, state) = forgetful(|_| status(400, NO_SESSION), plain).await;
    let connection = open(&server).await;
    state.forget();
    let calls = (0..20).map(|_| connection.peer().request_raw("x", RawParams::none()));
    for result in futures_util::future::join_all(calls).await {
        result.unwrap();
    }
    assert_eq!((state.opened.load(Ordering::SeqCst), count(&server, "POST ping")), (2, 1));
}

#[tokio::test]
async fn a_refused_message_on_a_known_session_opens_no_other() {
    let wrong = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"missing argument"}}"#;
    let unknown = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"unknown method"}}"#;
    for (code, body, told, pings) in [
        (400, "", "HTTP 400", 1),
        (401, "", "HTTP 401", 1),
        (403, "the session may not do that", "HTTP 403", 1),
        (404, unknown, "unknown method", 1),
        (400, wrong, "missing argument", 0),
        (403, "", "HTTP 403", 0),
        (500, "", "HTTP 500", 0),
    ] {
        let refusing = move |seen: &SeenRequest, state: &ForgetfulServer| match &*seen.what {
            "POST x" => status(code, body),
            _ => plain(seen, state),
        };
        let (server, state) = forgetful(|_| status(404, ""), refusing).await;
        let connection = open(&server).await;
        let error = call(&connection).await.unwrap_err();
        assert!(error.message.contains(told), "{code} {body}: {error}");
        let counts =
            [count(&server, "POST x"), count(&server, "POST ping"), state.opened.load(Ordering::SeqCst)];
        assert_eq!(counts, [1, pings, 1], "{code} {body}");
    }
}

#[tokio::test]
async fn a_server_without_ping_that_refuses_one_keeps_its_session() {
    let unknown = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"unknown method"}}"#;
    for code in [400, 404] {
        let refusing = move |seen: &SeenRequest, state: &ForgetfulServer| match &*seen.what {
            "POST x" => status(400, ""),
            "POST ping" => status(code, unknown),
            _ => plain(seen, state),
        };
        let (server, state) = forgetful(|_| status(404, ""), refusing).await;
        let connection = open(&server).await;
        assert!(call(&connection).await.unwrap_err().message.contains("HTTP 400"), "{code}");
        assert_eq!((count(&server, "POST ping"), state.opened.load(Ordering::SeqCst)), (1, 1), "{code}");
    }
}

#[tokio::test]
async fn a_tool_s_error_about_its_own_session_is_passed_on() {
    let closing = |seen: &SeenRequest, state: &ForgetfulServer| match &*seen.what {
        "POST x" => answered(seen, "browser session 7 not found"),
        _ => plain(seen, state),
    };
    let (server, state) = forgetful(|_| status(404, ""), closing).await;
    let connection = open(&server).await;
    let error = call(&connection).await.unwrap_err();
    assert_eq!((error.code, &*error.message), (-32001, "browser session 7 not found"));
    assert_eq!((count(&server, "POST x"), state.opened.load(Ordering::SeqCst)), (1, 1));
}

#[tokio::test]
async fn a_call_answered_with_a_lost_session_may_have_run() {
    let lost: [fn(&SeenRequest) -> Response; 3] = [
        |seen| answered(seen, "Session not found"),
        |seen| {
            let error = r#"{"code":1,"message":"no session"}"#;
            events(&format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{error}}}\n\n", seen.id))
        },
        |_| status(500, "session storage is gone"),
    ];
    for lost in lost {
        let (server, state) = forgetful(lost, plain).await;
        let connection = open(&server).await;
        state.forget();
        let error = call(&connection).await.unwrap_err();
        assert_eq!(error.code, i64::from(ErrorCode::UpstreamUnavailable), "{error}");
        assert!(error.message.contains("forgot the session"), "{error}");
        let advice = Recovery::from_error(&error).unwrap();
        assert!(advice.is_outcome_unknown() && !advice.retryable, "{error}");
        assert_eq!((count(&server, "POST x"), state.opened.load(Ordering::SeqCst)), (1, 2));
        assert_eq!(call(&connection).await.unwrap(), r#""done""#);
    }
}

#[tokio::test]
async fn a_server_that_refuses_everything_gets_one_new_session() {
    let refusals: [fn(&SeenRequest) -> Response; 3] =
        [|_| status(401, ""), |_| status(400, NO_SESSION), |seen| answered(seen, "Session not found")];
    for (refusal, told) in refusals.into_iter().zip(["HTTP 401", "No valid session", "Session not found"]) {
        let refusing = move |seen: &SeenRequest, _: &ForgetfulServer| match &*seen.what {
            "POST notifications/initialized" => status(202, ""),
            _ => refusal(seen),
        };
        let (server, state) = forgetful(|_| status(404, ""), refusing).await;
        let connection = open(&server).await;
        let _ = call(&connection).await.unwrap_err();
        for _ in 0..3 {
            let error = call(&connection).await.unwrap_err();
            assert!(error.message.contains(told), "{error}");
        }
        assert_eq!((state.opened.load(Ordering::SeqCst), count(&server, "POST ping")), (2, 1), "{told}");
    }
}

#[tokio::test]
async fn a_suspicion_changes_nothing_if_no_session_can_be_opened() {
    let (state, is_closed) = (Arc::new(ForgetfulServer::default()), Arc::new(AtomicBool::new(false)));
    let shared = (state.clone(), is_closed.clone());
    let server = HandMadeServer::new(move |seen| {
        let (state, is_closed) = shared.clone();
        async move {
            match &*seen.what {
                "POST initialize" if is_closed.load(Ordering::SeqCst) => status(503, ""),
                "POST initialize" => state.open(&seen, "2025-06-18"),
                "GET" => status(405, ""),
                _ if !state.knows(&seen) => status(400, NO_SESSION),
                _ => plain(&seen, &state),
            }
        }
    })
    .await;
    let connection = open(&server).await;
    state.forget();
    is_closed.store(true, Ordering::SeqCst);
    let error = call(&connection).await.unwrap_err();
    assert!(error.message.contains("No valid session ID provided"), "{error}");
    is_closed.store(false, Ordering::SeqCst);
    // The next suspicion is followed after a pause.
    let result = until_some(async || call(&connection).await.ok()).await;
    assert_eq!(result, r#""done""#);
}

/// Opens a session over a connection whose pauses last an hour.
async fn open_with_long_pauses(server: &HandMadeServer) -> HttpConnection {
    let hour = Duration::from_secs(3600);
    let config = HttpClientConfig {
        reconnect_delay: hour,
        max_reconnect_delay: hour,
        given_up_delay: hour,
        ..HttpClientConfig::patient()
    };
    handshake(server, server.connect_with(config, Connection::builder(echo()))).await
}

#[tokio::test]
async fn a_session_is_not_probed_for_each_message() {
    // A tool with sessions of its own, and a server that has forgotten the session and opens no other one.
    for (forgets, sessions) in [(false, 1), (true, 2)] {
        let state = Arc::new(ForgetfulServer::default());
        let shared = state.clone();
        let server = HandMadeServer::new(move |seen| {
            let state = shared.clone();
            async move {
                match &*seen.what {
                    "POST initialize" if state.opened.load(Ordering::SeqCst) > 0 => status(401, ""),
                    "POST initialize" => state.open(&seen, "2025-06-18"),
                    "GET" => status(405, ""),
                    _ if !state.knows(&seen) => status(401, ""),
                    "POST x" => answered(&seen, "browser session 7 not found"),
                    _ => plain(&seen, &state),
                }
            }
        })
        .await;
        let connection = open_with_long_pauses(&server).await;
        if forgets {
            state.forget();
        }
        for _ in 0..3 {
            let error = call(&connection).await.unwrap_err();
            let told = if forgets { "HTTP 401" } else { "browser session 7" };
            assert!(error.message.contains(told), "{error}");
        }
        let counts = ["POST x", "POST ping", "POST initialize"].map(|what| count(&server, what));
        assert_eq!(counts, [3, 1, sessions], "{forgets}");
    }
}

#[tokio::test]
async fn other_calls_continue_while_a_suspicion_is_checked() {
    let (state, gate) = (Arc::new(ForgetfulServer::default()), Arc::new(Notify::new()));
    let server = HandMadeServer::new(move |seen| {
        let (state, gate) = (state.clone(), gate.clone());
        async move {
            match &*seen.what {
                "POST initialize" => return state.open(&seen, "2025-06-18"),
                "GET" => return status(405, ""),
                "POST x" => return answered(&seen, "browser session 7 not found"),
                // The answer waits for the other call.
                "POST ping" => gate.notified().await,
                "POST y" => gate.notify_one(),
                _ => {}
            }
            plain(&seen, &state)
        }
    })
    .await;
    let connection = open(&server).await;
    let refused = connection.peer().start("x", RawParams::none()).await.unwrap();
    server.until("POST ping", 1).await;
    within(connection.peer().request_raw("y", RawParams::none())).await.unwrap();
    let error = within(refused.reply()).await.unwrap_err();
    assert!(error.to_string().contains("browser session 7 not found"), "{error}");
}

#[tokio::test]
async fn a_call_whose_session_cannot_be_reopened_did_not_run() {
    for code in [404, 410] {
        let state = Arc::new(ForgetfulServer::default());
        let shared = state.clone();
        let server = HandMadeServer::new(move |seen| {
            let state = shared.clone();
            async move {
                match &*seen.what {
                    "POST initialize" if state.opened.load(Ordering::SeqCst) > 0 => status(503, ""),
                    "POST initialize" => state.open(&seen, "2025-06-18"),
                    "GET" => status(405, ""),
                    _ if !state.knows(&seen) => status(code, ""),
                    _ => plain(&seen, &state),
                }
            }
        })
        .await;
        let connection = open(&server).await;
        state.forget();
        let error = call(&connection).await.unwrap_err();
        let advice = Recovery::from_error(&error).unwrap();
        assert!(advice.retryable && !advice.is_outcome_unknown(), "{code}: {error}");
        let why = connection.closed().await.to_string();
        assert!(why.contains("could not be opened again") && why.contains("HTTP 503"), "{why}");
    }
}

#[tokio::test]
async fn a_stream_refused_for_its_session_reopens_the_session() {
    let state = Arc::new(ForgetfulServer::default());
    let shared = state.clone();
    let server = HandMadeServer::new(move |seen| {
        let state = shared.clone();
        async move {
            match &*seen.what {
                "POST initialize" => state.open(&seen, "2025-06-18"),
                // The stream ends, and with it what the server knew.
                "GET" if state.knows(&seen) && state.opened.load(Ordering::SeqCst) == 1 => {
                    state.forget();
                    events(": hello\n\n")
                }
                _ if !state.knows(&seen) => status(400, NO_SESSION),
                "GET" => status(405, ""),
                _ => plain(&seen, &state),
            }
        }
    })
    .await;
    let connection = open(&server).await;
    server.until("POST initialize", 2).await;
    assert_eq!(call(&connection).await.unwrap(), r#""done""#);
    assert_eq!(count(&server, "POST ping"), 1);
}
