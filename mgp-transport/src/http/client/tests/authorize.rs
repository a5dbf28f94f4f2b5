//! The hook that authorizes requests.

use super::{HandMadeServer, SeenRequest, hand_made::echo, json, status};
use crate::{
    connection::Connection,
    http::client::{Authorize, AuthorizeError, Challenge, HttpClientConfig},
    seam::CallError,
};
use async_trait::async_trait;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header::AUTHORIZATION};
use mgp_types::rpc::RawParams;
use parking_lot::Mutex;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use url::Url;

const DPOP: HeaderName = HeaderName::from_static("dpop");

/// An authorization that gives the token `t0`, and a new one for each challenge.
#[derive(Debug, Default)]
struct Tokens {
    challenges: Mutex<Vec<Challenge>>,
    /// The nonces of responses.
    nonces: Mutex<Vec<HeaderValue>>,
    /// The answer to challenges; `None` to send every message again.
    refuses: Option<Result<bool, &'static str>>,
}

#[async_trait]
impl Authorize for Tokens {
    async fn headers(&self, method: &Method, _: &Url) -> Result<HeaderMap, AuthorizeError> {
        let token = format!("Bearer t{}", self.challenges.lock().len());
        let token = (AUTHORIZATION, HeaderValue::try_from(token).unwrap());
        Ok(HeaderMap::from_iter([token, (DPOP, method.as_str().parse().unwrap())]))
    }

    fn responded(&self, _: &Url, headers: &HeaderMap) {
        self.nonces.lock().extend(headers.get("dpop-nonce").cloned());
    }

    async fn challenged(&self, challenge: Challenge) -> Result<bool, AuthorizeError> {
        self.challenges.lock().push(challenge);
        self.refuses.unwrap_or(Ok(true)).map_err(AuthorizeError::new)
    }
}

fn refused(code: u16, challenge: &str) -> Response {
    let mut response = status(code, "");
    response.headers_mut().insert("www-authenticate", challenge.parse().unwrap());
    response.headers_mut().insert("dpop-nonce", HeaderValue::from(code));
    response
}

fn token(seen: &SeenRequest) -> &str {
    let mut values = seen.headers.get_all("authorization").iter();
    let value = values.next().map(|value| value.to_str().unwrap()).unwrap_or_default();
    assert!(values.next().is_none(), "two headers");
    assert!(seen.what.starts_with(seen.headers[DPOP].to_str().unwrap()), "headers of another request");
    value
}

fn config(tokens: &Arc<Tokens>) -> HttpClientConfig {
    HttpClientConfig {
        authorize: Some(tokens.clone()),
        bearer: Some("fixed".to_owned()),
        ..HttpClientConfig::patient()
    }
}

async fn error_of(server: &HandMadeServer, tokens: &Arc<Tokens>) -> (i64, String) {
    let connection = server.connect_with(config(tokens), Connection::builder(echo()));
    match connection.peer().request_raw("x", RawParams::none()).await {
        Err(CallError::Peer(error)) => (error.code, error.message),
        other => panic!("expected an error of the call, found {other:?}"),
    }
}

#[tokio::test]
async fn every_request_is_authorized_and_retried_when_refused() {
    let server = HandMadeServer::new(|seen| async move {
        match (&*seen.what, token(&seen)) {
            ("GET" | "DELETE", _) => status(405, ""),
            ("POST notifications/initialized", _) => status(202, ""),
            (_, "Bearer t0") => refused(401, r#"Bearer scope="a b", error="invalid_token""#),
            ("POST x", "Bearer t1") => refused(403, r#"Bearer error="insufficient_scope""#),
            _ => json(&seen, "{}"),
        }
    })
    .await;
    let tokens = Arc::new(Tokens::default());
    let connection = server.connect_with(config(&tokens), Connection::builder(echo()));
    connection.peer().request_raw("initialize", RawParams::none()).await.unwrap();
    connection.peer().notify("notifications/initialized", RawParams::none()).await.unwrap();
    server.until("GET", 1).await;
    connection.peer().request_raw("x", RawParams::none()).await.unwrap();
    connection.close().await;
    let sent: Vec<_> = server.seen().iter().map(|seen| format!("{} {}", seen.what, token(seen))).collect();
    assert_eq!(
        sent,
        [
            "POST initialize Bearer t0",
            "POST initialize Bearer t1",
            "POST notifications/initialized Bearer t1",
            "GET Bearer t1",
            "POST x Bearer t1",
            "POST x Bearer t2",
            "DELETE Bearer t2",
        ]
    );
    let challenges = tokens.challenges.lock();
    assert_eq!(challenges[0].endpoint.as_str(), server.url());
    assert_eq!(challenges[0].remote, Some(server.address));
    assert_eq!(challenges[0].token_param("scope"), Some("a b"));
    assert_eq!(challenges[0].sent.as_ref().unwrap(), "Bearer t0");
    assert!(challenges.iter().all(|challenge| challenge.attempt == 1));
    assert!(!format!("{challenges:?}").contains("t0"));
    assert_eq!(*tokens.nonces.lock(), [HeaderValue::from(401), HeaderValue::from(403)]);
}

#[tokio::test]
async fn a_message_is_not_sent_again_for_ever() {
    let server = HandMadeServer::new(|_| async { refused(401, "Bearer") }).await;
    let tokens = Arc::new(Tokens::default());
    let (code, message) = error_of(&server, &tokens).await;
    assert!(code == 1002 && message.contains("HTTP 401"), "{code} {message}");
    assert_eq!(server.seen().len(), 4);
    let attempts: Vec<_> = tokens.challenges.lock().iter().map(|challenge| challenge.attempt).collect();
    assert_eq!(attempts, [1, 2, 3]);
}

#[tokio::test]
async fn a_stream_that_needs_authorization_gets_it() {
    let server = HandMadeServer::new(|seen| async move {
        match (&*seen.what, token(&seen)) {
            ("GET", "Bearer t0") => refused(401, "Bearer"),
            ("GET" | "DELETE", _) => status(405, ""),
            ("POST notifications/initialized", _) => status(202, ""),
            _ => json(&seen, "{}"),
        }
    })
    .await;
    let tokens = Arc::new(Tokens::default());
    let connection = server.connect_with(config(&tokens), Connection::builder(echo()));
    connection.peer().request_raw("initialize", RawParams::none()).await.unwrap();
    connection.peer().notify("notifications/initialized", RawParams::none()).await.unwrap();
    server.until("GET", 2).await;
    assert_eq!(token(server.seen().last().unwrap()), "Bearer t1");
}

#[tokio::test]
async fn an_unknown_session_is_not_mistaken_for_missing_rights() {
    let opened = Arc::new(AtomicUsize::new(0));
    let counted = opened.clone();
    let server = HandMadeServer::new(move |seen| {
        let opened = counted.clone();
        async move {
            match &*seen.what {
                "POST initialize" => {
                    opened.fetch_add(1, Ordering::SeqCst);
                    json(&seen, "{}")
                }
                "GET" | "DELETE" => status(405, ""),
                "POST notifications/initialized" => status(202, ""),
                _ if opened.load(Ordering::SeqCst) == 1 => status(401, "Unauthorized: Session not found"),
                _ => json(&seen, "{}"),
            }
        }
    })
    .await;
    let tokens = Arc::new(Tokens::default());
    let connection = server.connect_with(config(&tokens), Connection::builder(echo()));
    connection.peer().request_raw("initialize", RawParams::none()).await.unwrap();
    connection.peer().notify("notifications/initialized", RawParams::none()).await.unwrap();
    connection.peer().request_raw("x", RawParams::none()).await.unwrap();
    assert_eq!((opened.load(Ordering::SeqCst), tokens.challenges.lock().len()), (2, 0));
}

#[tokio::test]
async fn an_authorizer_can_refuse_with_a_reason() {
    let server = HandMadeServer::new(|_| async { refused(401, "Bearer") }).await;
    let no = Arc::new(Tokens { refuses: Some(Ok(false)), ..Default::default() });
    assert_eq!(error_of(&server, &no).await.1, "the server answered with HTTP 401 Unauthorized");
    let why = Arc::new(Tokens { refuses: Some(Err("nobody is at home")), ..Default::default() });
    assert_eq!(error_of(&server, &why).await, (1002, "failed to authorize: nobody is at home".to_owned()));
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn a_403_that_no_scope_would_help_is_not_authorized_again() {
    let server = HandMadeServer::new(|_| async { refused(403, "Bearer error=\"invalid_token\"") }).await;
    let tokens = Arc::new(Tokens::default());
    assert_eq!(error_of(&server, &tokens).await.0, 1001);
    assert!(server.seen().len() == 1 && tokens.challenges.lock().is_empty());
}
