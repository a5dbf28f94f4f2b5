//! The gate's treatment of tokens, judged by an authority that knows a few by heart.

use super::{Rig, Stream, request};
use crate::{
    http::server::{ApiKey, HttpServerBuilder, HttpServerConfig, ServeError},
    seam::{Authenticate, Authentication, CredentialError, ResourceMetadata, Scopes},
};
use async_trait::async_trait;
use axum::body::Body;
use http::{HeaderMap, Request, StatusCode, header::AUTHORIZATION};
use http_body_util::BodyExt;
use mgp_types::context::Principal;
use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#;
const WHOAMI: &str = r#"{"jsonrpc":"2.0","id":1,"method":"whoami"}"#;
const METADATA: &str = "/.well-known/oauth-protected-resource";
const CHALLENGE: &str =
    r#"resource_metadata="https://tools.example/.well-known/oauth-protected-resource/x/mcp""#;

/// An authority that knows the tokens `alice` and `bob`, and never comes to judge `slow`. Tools whose names start with `wipe` need
/// the scope `write`.
#[derive(Debug)]
struct FixedTokens;

#[async_trait]
impl Authenticate for FixedTokens {
    async fn authenticate(
        &self,
        headers: &HeaderMap,
        resource: &str,
    ) -> Result<Authentication, CredentialError> {
        assert_eq!(resource, "https://tools.example/x/mcp");
        let Some(value) = headers.get(AUTHORIZATION) else {
            return Err(CredentialError::missing().asking_for(&Scopes::parse("mcp")));
        };
        let id = match value.to_str().unwrap() {
            "Bearer slow" => std::future::pending().await,
            "Bearer alice" => "alice",
            "Bearer bob" => "bob",
            _ => return Err(CredentialError::invalid_token("the token is not known")),
        };
        let scopes = Scopes::parse(if id == "alice" { "mcp write" } else { "mcp" });
        let expires = Some(SystemTime::now() + Duration::from_secs(3600));
        Ok(Authentication { scopes, expires, ..Authentication::new(Principal::agent(id)) })
    }

    fn check(&self, who: &Authentication, method: &str, name: Option<&str>) -> Result<(), CredentialError> {
        let needed = Scopes::parse("write");
        let wipes = method == "tools/call" && name.is_some_and(|name| name.starts_with("wipe"));
        if (wipes || method == "forbidden") && !who.scopes.contains_all(&needed) {
            return Err(CredentialError::insufficient_scope("more is needed", needed));
        }
        Ok(())
    }

    fn metadata(&self) -> ResourceMetadata {
        ResourceMetadata {
            authorization_servers: vec!["https://auth.example".into()],
            scopes_supported: vec!["mcp".into()],
            ..ResourceMetadata::default()
        }
    }
}

fn rig(set: impl FnOnce(HttpServerBuilder) -> HttpServerBuilder) -> Rig {
    Rig::new(|builder| {
        let builder = builder.authenticate(FixedTokens);
        set(builder.resource("https://tools.example/x/mcp".parse().unwrap()))
    })
}

async fn open(rig: &Rig, token: &str) -> String {
    let token = format!("Bearer {token}");
    let opened = rig.send(request("POST", &[("authorization", &token)], INITIALIZE)).await;
    assert_eq!(opened.status(), StatusCode::OK);
    opened.headers()["mcp-session-id"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn without_a_valid_token_a_client_learns_where_to_get_one() {
    let rig = rig(|b| b);
    for (headers, error) in [
        (&[][..], ""),
        (&[("authorization", "Bearer eve")], "invalid_token"),
        (&[("x-api-key", "alice")], ""),
    ] {
        for method in ["POST", "GET", "DELETE"] {
            let response = rig.send(request(method, headers, INITIALIZE)).await;
            assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
            let challenge = response.headers()["www-authenticate"].to_str().unwrap();
            assert!(challenge.starts_with("Bearer ") && challenge.contains(CHALLENGE), "{challenge}");
            assert!(
                challenge.contains(error) && challenge.contains("error=") != error.is_empty(),
                "{challenge}"
            );
            let body = response.into_body().collect().await.unwrap().to_bytes();
            let body = String::from_utf8(body.to_vec()).unwrap();
            assert!(body.starts_with(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#), "{body}");
        }
    }
}

#[tokio::test]
async fn a_token_in_the_url_does_not_count() {
    let rig = rig(|b| b);
    let mut asked = request("POST", &[], INITIALIZE);
    *asked.uri_mut() = "/mcp?access_token=alice".parse().unwrap();
    assert_eq!(rig.send(asked).await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_token_identifies_the_caller_and_so_does_a_known_key() {
    let (text, key) = ApiKey::generate().unwrap();
    let rig = rig(|b| b.api_key(key, Principal::agent("ci")));
    let key = format!("Bearer {text}");
    for (credentials, who) in [("Bearer alice", "alice"), (&key, "ci")] {
        let session = open(&rig, credentials.strip_prefix("Bearer ").unwrap()).await;
        let headers = [("authorization", credentials), ("mcp-session-id", &*session)];
        let (_, text) = rig.text(request("POST", &headers, WHOAMI)).await;
        assert!(text.contains(&format!(r#"["{who}",false]"#)), "{text}");
    }
    let wrong = rig.send(request("POST", &[("authorization", "Bearer mgp_wrong")], INITIALIZE)).await;
    assert_eq!(wrong.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_session_belongs_to_its_token_s_principal() {
    let rig = rig(|b| b);
    let session = open(&rig, "alice").await;
    for method in ["POST", "GET", "DELETE"] {
        let headers = [("authorization", "Bearer bob"), ("mcp-session-id", &*session)];
        assert_eq!(rig.send(request(method, &headers, WHOAMI)).await.status(), StatusCode::NOT_FOUND);
        let headers = [("mcp-session-id", &*session)];
        assert_eq!(rig.send(request(method, &headers, WHOAMI)).await.status(), StatusCode::UNAUTHORIZED);
    }
    let headers = [("authorization", "Bearer alice"), ("mcp-session-id", &*session)];
    assert_eq!(rig.send(request("POST", &headers, WHOAMI)).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_method_or_tool_outside_the_scope_is_forbidden() {
    let rig = rig(|b| b);
    let through = r#"{"name":"mgp_tools_call","arguments":{"name":"wipe_all"}}"#;
    for (method, params) in
        [("tools/call", r#"{"name":"wipe"}"#), ("tools/call", through), ("forbidden", "{}")]
    {
        let body = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#);
        for (token, status) in [("bob", StatusCode::FORBIDDEN), ("alice", StatusCode::OK)] {
            let session = open(&rig, token).await;
            let token = format!("Bearer {token}");
            let headers = [("authorization", &*token), ("mcp-session-id", &*session)];
            let response = rig.send(request("POST", &headers, &body)).await;
            assert_eq!(response.status(), status, "{body}");
            if status == StatusCode::FORBIDDEN {
                let challenge = response.headers()["www-authenticate"].to_str().unwrap();
                assert!(challenge.contains(r#"error="insufficient_scope""#), "{challenge}");
                assert!(
                    challenge.contains(r#"scope="write""#) && challenge.contains(CHALLENGE),
                    "{challenge}"
                );
                let body = response.into_body().collect().await.unwrap().to_bytes();
                assert!(body.starts_with(br#"{"jsonrpc":"2.0","id":7,"error":"#));
            }
        }
    }
}

#[tokio::test]
async fn a_token_s_scopes_are_in_each_message_s_context() {
    let rig = rig(|b| b);
    let session = open(&rig, "bob").await;
    let headers = [("authorization", "Bearer bob"), ("mcp-session-id", &*session)];
    let ask = r#"{"jsonrpc":"2.0","id":1,"method":"scopes"}"#;
    assert!(rig.text(request("POST", &headers, ask)).await.1.contains(r#""result":"mcp""#));
}

#[tokio::test(start_paused = true)]
async fn judging_a_token_has_a_time_limit() {
    let limit = Duration::from_secs(3);
    let rig = rig(|b| b.config(HttpServerConfig { authenticate_timeout: limit, ..Default::default() }));
    let before = tokio::time::Instant::now();
    let response = rig.send(request("POST", &[("authorization", "Bearer slow")], INITIALIZE)).await;
    assert_eq!(before.elapsed().as_secs(), limit.as_secs());
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(response.headers().contains_key("retry-after"));
}

#[tokio::test(start_paused = true)]
async fn the_session_s_own_stream_ends_with_the_token_that_opened_it() {
    let rig = rig(|b| b);
    let session = open(&rig, "alice").await;
    let headers = [("authorization", "Bearer alice"), ("mcp-session-id", &*session)];
    let before = tokio::time::Instant::now();
    let stream = Stream::of(rig.send(request("GET", &headers, "")).await);
    let events = tokio::time::timeout(Duration::from_secs(4000), stream.rest()).await.unwrap();
    // The token runs out by the clock on the wall, which does not stand still.
    assert!((3000..=3600).contains(&before.elapsed().as_secs()), "{:?}", before.elapsed());
    assert!(!events.is_empty() && events.iter().all(|event| event == ":"), "{events:?}");
}

fn ask(method: &str, path: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut asked = request(method, headers, "");
    *asked.uri_mut() = path.parse().unwrap();
    asked
}

#[tokio::test]
async fn the_metadata_is_readable_without_a_token_at_each_path() {
    let rig = rig(|b| b);
    for path in [METADATA.to_owned(), format!("{METADATA}/mcp"), format!("{METADATA}/x/mcp")] {
        let (status, text) = rig.text(ask("GET", &path, &[("host", "tools.example")])).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        assert_eq!(
            text,
            r#"{"resource":"https://tools.example/x/mcp","authorization_servers":["https://auth.example"],"scopes_supported":["mcp"],"bearer_methods_supported":["header"]}"#
        );
    }
    for path in [format!("{METADATA}/other"), format!("{METADATA}x")] {
        assert_eq!(rig.send(ask("GET", &path, &[])).await.status(), StatusCode::NOT_FOUND, "{path}");
    }
    let without = Rig::new(|b| b);
    assert_eq!(without.send(ask("GET", METADATA, &[])).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_metadata_is_readable_by_allowed_pages() {
    let rig = rig(|b| b.allow_origin("https://app.example"));
    for method in ["GET", "OPTIONS"] {
        let response = rig.send(ask(method, METADATA, &[("origin", "https://app.example")])).await;
        assert!(response.status().is_success());
        assert_eq!(response.headers()["access-control-allow-origin"], "https://app.example");
        assert_eq!(response.headers()["vary"], "origin");
        for wrong in [("origin", "https://evil.example"), ("host", "evil.example")] {
            assert_eq!(rig.send(ask(method, METADATA, &[wrong])).await.status(), StatusCode::FORBIDDEN);
        }
    }
}

#[tokio::test]
async fn a_server_that_does_not_know_its_url_judges_no_token() {
    let rig = Rig::new(|b| b.authenticate(FixedTokens));
    let response = rig.send(request("POST", &[("authorization", "Bearer alice")], INITIALIZE)).await;
    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    // Of no use to clients either: it names no machine.
    let refused = rig.server.bind("0.0.0.0:0").await.unwrap_err();
    assert!(matches!(refused, ServeError::NoResource(_)), "{refused}");
}

#[tokio::test]
async fn the_default_url_is_that_of_the_address() {
    let rig = Rig::new(|b| b.authenticate(FixedTokens));
    let serving = rig.server.bind("127.0.0.1:0").await.unwrap();
    let (_, text) = rig.text(ask("GET", METADATA, &[])).await;
    assert!(text.starts_with(&format!(r#"{{"resource":"http://{}/mcp","#, serving.address())), "{text}");
    serving.shutdown().await;
}

#[tokio::test]
async fn only_rejected_callers_are_reported_with_the_reason() {
    let heard = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let (_, key) = ApiKey::generate().unwrap();
    let rig = rig(|builder| {
        let heard = heard.clone();
        builder.api_key(key, Principal::agent("ci")).on_denial(move |denial| {
            let caller = denial.principal.map(|principal| principal.id().to_owned());
            heard.lock().push((denial.reason.as_str(), caller));
        })
    });
    let bob = [("authorization", "Bearer bob")];
    let session = open(&rig, "bob").await;
    let in_session = [bob[0], ("mcp-session-id", &*session)];
    assert_eq!(rig.send(request("POST", &in_session, WHOAMI)).await.status(), StatusCode::OK);
    assert_eq!(*heard.lock(), []);
    let forbidden = r#"{"jsonrpc":"2.0","id":1,"method":"forbidden"}"#;
    for (headers, body, reason, caller) in [
        (&[][..], INITIALIZE, "missing_credentials", None),
        (&[("authorization", "Bearer eve")], INITIALIZE, "invalid_token", None),
        (&in_session, forbidden, "insufficient_scope", Some("bob".to_owned())),
        (&[bob[0], ("origin", "https://evil.example")], INITIALIZE, "forbidden_origin", None),
    ] {
        rig.send(request("POST", headers, body)).await;
        assert_eq!(heard.lock().drain(..).collect::<Vec<_>>(), [(reason, caller)]);
    }
}
