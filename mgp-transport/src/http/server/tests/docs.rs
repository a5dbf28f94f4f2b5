//! The page of documentation.

use super::{Rig, request};
use crate::{
    http::server::{ApiKey, HttpServer, HttpServerBuilder, ServeError},
    seam::{BoxError, Incoming, Reply, Session, boxed},
};
use axum::body::Body;
use http::{Request, StatusCode};
use mgp_types::context::Principal;

/// Every file of the page, with its type.
const FILES: [(&str, &str); 4] = [
    ("/docs", "text/html; charset=utf-8"),
    ("/docs/start.js", "text/javascript; charset=utf-8"),
    ("/docs/swagger-ui-bundle.js", "text/javascript"),
    ("/docs/swagger-ui.css", "text/css"),
];

fn get(path: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = request("GET", headers, "");
    *request.uri_mut() = path.parse().unwrap();
    request
}

#[tokio::test]
async fn the_page_loads_only_its_own_server_s_files() {
    let rig = Rig::new(HttpServerBuilder::docs);
    for (path, content_type) in FILES {
        let response = rig.send(get(path, &[])).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        let header = |name: &str| response.headers()[name].to_str().unwrap();
        assert_eq!(header("content-type"), content_type, "{path}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        let policy = header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; "), "{path}: {policy}");
        // Neither another host, nor scripts and styles inside the page, nor evaluated text.
        for word in ["*", "http:", "https:", "//", "unsafe"] {
            assert!(!policy.contains(word), "{path}: {policy}");
        }
    }
    for path in ["/docs", "/docs/start.js"] {
        let (_, text) = rig.text(get(path, &[])).await;
        for word in ["//", "http:", "https:", "@import"] {
            let code: String = text.lines().filter(|line| !line.starts_with("// ")).collect();
            assert!(!code.contains(word), "{path} names another host: {text}");
        }
    }
    let (_, html) = rig.text(get("/docs", &[])).await;
    let named: Vec<_> = html
        .split('"')
        .filter(|part| part.ends_with(".js") || part.ends_with(".css"))
        .map(|file| format!("/{file}"))
        .collect();
    assert_eq!(named, ["/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js", "/docs/start.js"]);
    assert_eq!(html.matches("<script").count(), 2, "no script stands in the page itself");
}

#[tokio::test]
async fn the_library_is_sent_compressed_where_that_is_accepted() {
    let rig = Rig::new(HttpServerBuilder::docs);
    for (path, content_type) in &FILES[2..] {
        let mut lengths = Vec::new();
        for (accepted, is_compressed) in [
            (None, false),
            (Some("br;q=1.0, GZIP;q=0.8, *;q=0.1"), true),
            (Some("gzip, deflate, br"), true),
            (Some("gzip;q=0, identity"), false),
            (Some("gzip; q=x"), false),
            (Some("x-gzip"), false),
        ] {
            let headers: Vec<_> =
                accepted.map(|accepted| ("accept-encoding", accepted)).into_iter().collect();
            let response = rig.send(get(path, &headers)).await;
            assert_eq!(response.headers()["content-type"], *content_type, "{accepted:?}");
            assert_eq!(response.headers()["vary"], "accept-encoding", "{accepted:?}");
            let encoding = response.headers().get("content-encoding").map(|value| value.to_str().unwrap());
            assert_eq!(encoding, is_compressed.then_some("gzip"), "{accepted:?}");
            let bytes = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
            if is_compressed {
                assert!(bytes.starts_with(&[0x1f, 0x8b]), "{accepted:?}");
            } else {
                let text = std::str::from_utf8(&bytes).unwrap();
                assert!(text.contains("swagger-ui"), "{accepted:?}");
            }
            lengths.push(bytes.len());
        }
        assert!(lengths[1] < lengths[0] / 3, "{path}: {lengths:?}");
    }
}

#[tokio::test]
async fn the_page_needs_no_key_and_shows_nothing_of_the_tools() {
    let (text, key) = ApiKey::generate().unwrap();
    let rig = Rig::new(|builder| builder.docs().api_key(key, Principal::agent("a")));
    for (path, _) in FILES {
        assert_eq!(rig.send(get(path, &[])).await.status(), StatusCode::OK, "{path}");
        let foreign = [("origin", "http://evil.example"), ("x-api-key", &*text)];
        assert_eq!(rig.send(get(path, &foreign)).await.status(), StatusCode::FORBIDDEN, "{path}");
        let mut posted = get(path, &[]);
        *posted.method_mut() = http::Method::POST;
        assert_eq!(rig.send(posted).await.status(), StatusCode::METHOD_NOT_ALLOWED, "{path}");
    }
    for path in ["/openapi.json", "/tools"] {
        assert_eq!(rig.send(get(path, &[])).await.status(), StatusCode::UNAUTHORIZED, "{path}");
        assert_ne!(rig.send(get(path, &[("x-api-key", &text)])).await.status(), StatusCode::UNAUTHORIZED);
    }
    let (_, script) = rig.text(get("/docs/start.js", &[])).await;
    for part in ["status === 401", r#""X-API-Key": key"#, "Authorization: `Bearer ${token}`"] {
        assert!(script.contains(part), "{part} is not in {script}");
    }
    let (_, html) = rig.text(get("/docs", &[])).await;
    for id in ["credentials", "reason", "key", "token", "tools"] {
        assert!(html.contains(&format!(r#"id="{id}""#)), "{id}");
    }
}

#[tokio::test]
async fn without_the_page_its_addresses_are_not_found() {
    let rig = Rig::new(HttpServerBuilder::rest);
    for (path, _) in FILES {
        assert_eq!(rig.send(get(path, &[])).await.status(), StatusCode::NOT_FOUND, "{path}");
    }
    // The library's own page, whose script stands inside it.
    let rig = Rig::new(HttpServerBuilder::docs);
    assert_eq!(rig.send(get("/docs/", &[])).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_endpoint_cannot_have_the_path_of_a_page_file() {
    let empty = tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) });
    for (path, _) in FILES {
        let builder = HttpServer::builder(move |_: &Session| (boxed(empty), None));
        let error = builder.docs().path(path).build().bind("127.0.0.1:0").await.map(drop).unwrap_err();
        assert!(matches!(error, ServeError::Path { .. }), "{path}: {error}");
    }
    // Without the slash, this path is that of the page.
    let rig = Rig::new(|b| b.docs().path("/docs/"));
    assert_eq!(rig.send(get("/docs", &[])).await.headers()["content-type"], "text/html; charset=utf-8");
}
