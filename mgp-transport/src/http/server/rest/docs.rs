//! The page of documentation: Swagger UI, which shows the document of the tools and calls them. This server has all of its files.
//!
//! The files are the same on every server and contain nothing about its tools, so they need no key: a browser sends none for a
//! page. The page asks its reader for a key or token if the document needs one.

use super::call;
use crate::http::server::{
    auth::{Gate, gate},
    paths::{PAGE, PAGE_FILES},
};
use axum::{
    Router, middleware,
    response::{IntoResponse, Response},
    routing,
};
use http::{
    HeaderName, HeaderValue,
    header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS},
};
use std::sync::Arc;
use swagger_ui_dist::{ApiDefinition, OpenApiSource};

const HTML: &str = include_str!("docs.html");
const SCRIPT: &str = include_str!("docs.js");

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
    // The library's own page is not served: it contains an inline script, which the policy forbids.
    let library = swagger_ui_dist::generate_routes(ApiDefinition {
        uri_prefix: PAGE,
        api_definition: OpenApiSource::Uri("openapi.json"),
        title: None,
    });
    let [page, script, bundle, style] = PAGE_FILES;
    Router::new()
        .route(page, routing::get(|| async { file("text/html; charset=utf-8", HTML) }))
        .route(script, routing::get(|| async { file("text/javascript; charset=utf-8", SCRIPT) }))
        .route(bundle, routing::get_service(library.clone()))
        .route(style, routing::get_service(library))
        .method_not_allowed_fallback(call::wrong_method)
        .layer(middleware::map_response(with_headers))
        .layer(middleware::from_fn_with_state(gate.clone(), gate::without_credentials))
}

fn file(content_type: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, content_type)], text).into_response()
}

async fn with_headers(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
