//! The page of documentation: Swagger UI, which shows the document of the tools and calls them. This server has all of its files.
//!
//! The files are the same on every server and contain nothing about its tools, so they need no key: a browser sends none for a
//! page. The page asks its reader for a key or token if the document needs one.

use super::call;
use crate::http::server::{
    auth::{Gate, gate},
    paths::PAGE_FILES,
};
use axum::{
    Router, middleware,
    response::{IntoResponse, Response},
    routing,
};
use flate2::read::GzDecoder;
use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{
        ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
        REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
    },
};
use std::{io::Read, sync::Arc};

const HTML: &str = include_str!("docs.html");
const SCRIPT: &str = include_str!("docs.js");

/// The library's files, which the build script compresses.
const BUNDLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui-bundle.js.gz"));
const STYLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui.css.gz"));

/// The headers of every file. With this policy, a browser loads nothing from another host, runs only scripts that are files of
/// this server, and shows the page in no other page's frame.
const HEADERS: [(HeaderName, &str); 4] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    // The files change with the version of the program.
    (CACHE_CONTROL, "no-cache"),
];

/// Returns the routes of the page and its files. Only Host and Origin are checked.
pub(super) fn routes(gate: &Arc<Gate>) -> Router {
    let [page, script, bundle, style] = PAGE_FILES;
    Router::new()
        .route(page, routing::get(|| async { file("text/html; charset=utf-8", HTML) }))
        .route(script, routing::get(|| async { file("text/javascript; charset=utf-8", SCRIPT) }))
        .route(
            bundle,
            routing::get(async |headers: HeaderMap| compressed("text/javascript", BUNDLE, &headers)),
        )
        .route(style, routing::get(async |headers: HeaderMap| compressed("text/css", STYLE, &headers)))
        .method_not_allowed_fallback(call::wrong_method)
        .layer(middleware::map_response(with_headers))
        .layer(middleware::from_fn_with_state(gate.clone(), gate::without_credentials))
}

fn file(content_type: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, content_type)], text).into_response()
}

/// Returns a compressed file, unpacked for the few clients that do not accept it as it is, such as `curl`.
fn compressed(content_type: &'static str, file: &'static [u8], request: &HeaderMap) -> Response {
    let headers = [(CONTENT_TYPE, content_type), (VARY, "accept-encoding")];
    if accepts_gzip(request) {
        return (headers, [(CONTENT_ENCODING, "gzip")], file).into_response();
    }
    let mut text = Vec::new();
    match GzDecoder::new(file).read_to_end(&mut text) {
        Ok(_) => (headers, text).into_response(),
        Err(error) => {
            tracing::error!(%error, "a file of the documentation cannot be unpacked");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// Returns whether a request accepts a compressed answer (RFC 9110, section 12.5.3). The weight 0 means that it does not.
fn accepts_gzip(request: &HeaderMap) -> bool {
    let values = request.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_ok_and(|weight| weight > 0.0)
    })
}

async fn with_headers(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
