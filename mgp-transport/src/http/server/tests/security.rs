//! Access to the server.

use super::{Rig, request};
use crate::http::server::ApiKey;
use http::StatusCode;
use mgp_types::context::Principal;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#;
const WHOAMI: &str = r#"{"jsonrpc":"2.0","id":1,"method":"whoami"}"#;

#[tokio::test]
async fn a_foreign_host_name_is_forbidden() {
    let rig = Rig::new(|b| b.allow_host("tools.example"));
    for (host, status) in [
        ("localhost", 200),
        ("127.0.0.1:9", 200),
        ("[::1]:9", 200),
        ("tools.example", 200),
        ("evil.example", 403),
        ("evil.example:9", 403),
        ("", 400),
    ] {
        let (found, text) = rig.text(request("POST", &[("host", host)], INITIALIZE)).await;
        assert_eq!(found.as_u16(), status, "{host}: {text}");
    }
    let mut two = request("POST", &[], INITIALIZE);
    two.headers_mut().append("host", "evil.example".parse().unwrap());
    assert_eq!(rig.send(two).await.status(), StatusCode::BAD_REQUEST);
    let mut absolute = request("POST", &[], INITIALIZE);
    *absolute.uri_mut() = "http://evil.example/mcp".parse().unwrap();
    assert_eq!(rig.send(absolute).await.status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_page_that_is_not_allowed_is_forbidden_on_every_method() {
    let rig = Rig::new(|b| b.allow_origin("https://app.example"));
    for method in ["POST", "GET", "DELETE", "OPTIONS"] {
        for origin in ["http://evil.example", "null"] {
            let (status, text) = rig.text(request(method, &[("origin", origin)], INITIALIZE)).await;
            assert_eq!(status, StatusCode::FORBIDDEN, "{method}: {text}");
        }
    }
    for origin in ["http://localhost:6274", "https://app.example"] {
        let status = rig.send(request("POST", &[("origin", origin)], INITIALIZE)).await.status();
        assert_eq!(status, StatusCode::OK, "{origin}");
    }
}

#[tokio::test]
async fn a_browser_learns_the_allowed_pages_without_a_key() {
    let (_, key) = ApiKey::generate().unwrap();
    let rig = Rig::new(|b| b.api_key(key, Principal::agent("a")).allow_origin("https://app.example"));
    let asked = [
        ("origin", "https://app.example"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization, mcp-protocol-version"),
    ];
    let response = rig.send(request("OPTIONS", &asked, "")).await;
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
    let headers = response.headers();
    assert_eq!(headers["access-control-allow-origin"], "https://app.example");
    assert_eq!(headers["access-control-allow-headers"], "authorization, mcp-protocol-version");
    assert!(headers["access-control-allow-methods"].to_str().unwrap().contains("DELETE"));
    // The page reads why it is refused, and later its session.
    let refused = rig.send(request("POST", &[("origin", "https://app.example")], INITIALIZE)).await;
    assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(refused.headers()["access-control-allow-origin"], "https://app.example");
    let exposed = refused.headers()["access-control-expose-headers"].to_str().unwrap();
    for name in ["idempotent-replayed", "mcp-session-id", "retry-after", "www-authenticate"] {
        assert!(exposed.split(", ").any(|header| header == name), "{name}: {exposed}");
    }
}

#[tokio::test]
async fn only_named_origins_are_allowed() {
    let rig = Rig::new(|b| b.allow_origin("https://app.example"));
    let preflight = |origin: &str, host: &str| {
        let asked = [("origin", origin), ("host", host), ("access-control-request-method", "POST")];
        rig.send_owned(request("OPTIONS", &asked, ""))
    };
    // Any program of this machine may serve a page at localhost.
    for (origin, host, status) in [
        ("http://localhost:6274", "localhost", 405),
        ("https://evil.example", "localhost", 403),
        ("https://app.example", "evil.example", 403),
    ] {
        let response = preflight(origin, host).await;
        assert_eq!(response.status().as_u16(), status, "{origin} {host}");
        assert!(!response.headers().contains_key("access-control-allow-methods"), "{origin} {host}");
    }
    let plain = rig.send(request("POST", &[], INITIALIZE)).await;
    assert!(!plain.headers().contains_key("access-control-allow-origin"));
}

#[tokio::test]
async fn a_server_with_keys_serves_only_their_holders() {
    let (text, key) = ApiKey::generate().unwrap();
    let rig = Rig::new(|b| b.api_key(key, Principal::agent("a")));
    let bearer = format!("Bearer {text}");
    for (headers, status) in [
        (("authorization", &*bearer), 200),
        (("x-api-key", &*text), 200),
        (("authorization", "Bearer mgp_wrong"), 401),
        (("x-api-key", "wrong"), 401),
        (("x-other", "none"), 401),
    ] {
        let response = rig.send(request("POST", &[headers], INITIALIZE)).await;
        assert_eq!(response.status().as_u16(), status, "{headers:?}");
        let challenge = response.headers().get("www-authenticate");
        assert_eq!(challenge.is_some_and(|value| value == "Bearer"), status == 401);
    }
    for method in ["GET", "DELETE"] {
        assert_eq!(rig.send(request(method, &[], "")).await.status(), StatusCode::UNAUTHORIZED);
    }
}

#[tokio::test]
async fn a_session_belongs_to_the_principal_that_opened_it() {
    let (first, first_key) = ApiKey::generate().unwrap();
    let (second, second_key) = ApiKey::generate().unwrap();
    let rig = Rig::new(|b| {
        b.api_key(first_key, Principal::agent("a").with_admin()).api_key(second_key, Principal::agent("b"))
    });
    let opened = rig.send(request("POST", &[("x-api-key", &first)], INITIALIZE)).await;
    let session = opened.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    let as_first = [("x-api-key", &*first), ("mcp-session-id", &*session)];
    let as_second = [("x-api-key", &*second), ("mcp-session-id", &*session)];
    for method in ["POST", "GET", "DELETE"] {
        let status = rig.send(request(method, &as_second, WHOAMI)).await.status();
        assert_eq!(status, StatusCode::NOT_FOUND, "{method}");
    }
    let (status, text) = rig.text(request("POST", &as_first, WHOAMI)).await;
    assert_eq!((status, &*text), (StatusCode::OK, r#"{"jsonrpc":"2.0","id":1,"result":["a",true]}"#));
}

#[tokio::test]
async fn a_session_s_logged_id_does_not_open_it() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let ask = r#"{"jsonrpc":"2.0","id":1,"method":"session"}"#;
    let (_, text) = rig.text(request("POST", &[("mcp-session-id", &session)], ask)).await;
    assert!(text.contains("http-") && !text.contains(&session), "{text}");
    assert!(!format!("{:?} {:?}", rig.server, rig.server.0.sessions.all()).contains(&session));
}

#[tokio::test]
async fn without_keys_everybody_is_the_configured_principal() {
    for (rig, who) in [
        (Rig::new(|b| b), r#"["local",false]"#),
        (Rig::new(|b| b.principal(Principal::operator("me"))), r#"["me",true]"#),
    ] {
        let session = rig.open().await;
        let (_, text) = rig.text(request("POST", &[("mcp-session-id", &session)], WHOAMI)).await;
        assert!(text.contains(who), "{text}");
    }
}

#[tokio::test]
async fn two_credentials_or_a_repeated_header_are_refused() {
    let (mine, my_key) = ApiKey::generate().unwrap();
    let (yours, your_key) = ApiKey::generate().unwrap();
    let (denials, seen) = std::sync::mpsc::channel();
    let denials = std::sync::Mutex::new(denials);
    let rig = Rig::new(|b| {
        b.api_key(my_key, Principal::agent("a"))
            .api_key(your_key, Principal::agent("b"))
            .on_denial(move |denial| denials.lock().unwrap().send(denial.reason).unwrap())
    });
    let (bearer, other) = (format!("Bearer {mine}"), format!("Bearer {yours}"));
    let (mine, yours) = (&*mine, &*yours);
    for (headers, status) in [
        ([("x-api-key", mine), ("x-api-key", yours)], 400),
        ([("x-api-key", mine), ("x-api-key", mine)], 400),
        ([("authorization", &*bearer), ("authorization", &*other)], 400),
        ([("authorization", &*bearer), ("x-api-key", yours)], 400),
        ([("authorization", "Basic YTpi"), ("x-api-key", mine)], 400),
        ([("authorization", "Bearer "), ("x-api-key", mine)], 400),
        ([("authorization", &*bearer), ("x-api-key", mine)], 200),
        ([("mcp-session-id", "one"), ("mcp-session-id", "two")], 400),
        ([("origin", "http://localhost"), ("origin", "http://localhost")], 400),
    ] {
        let mut sent = request("POST", &[], INITIALIZE);
        for (name, value) in headers {
            sent.headers_mut().append(name, value.parse().unwrap());
        }
        let (found, text) = rig.text(sent).await;
        assert_eq!(found.as_u16(), status, "{headers:?}: {text}");
        let refused = seen.try_iter().collect::<Vec<_>>();
        assert_eq!(refused.is_empty(), status == 200, "{headers:?}: {refused:?}");
    }
}
