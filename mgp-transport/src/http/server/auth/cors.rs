//! Cross-origin resource sharing (CORS): a browser lets a page of another origin use the server only if the server allows it. The
//! server allows only the origins that [`HttpServerBuilder::allow_origin`](crate::http::server::HttpServerBuilder::allow_origin) names.

use axum::{
    extract::Request,
    response::{IntoResponse, Response},
};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
        ACCESS_CONTROL_REQUEST_METHOD, VARY,
    },
};

/// The methods of the endpoint and of REST.
const METHODS: &str = "GET, POST, DELETE";

/// The headers of a response that clients need and that browsers hide by default.
const EXPOSED: &str = "idempotent-replayed, mcp-session-id, retry-after, www-authenticate";

/// The time for which a browser may keep the answer to a preflight request, in seconds.
const MAX_AGE: &str = "600";

/// Returns whether a request is a preflight, by which a browser asks if it may send the real request. A preflight has no
/// credentials.
pub(super) fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// Answers a preflight request. The page may send any header, because each is checked when it arrives.
pub(super) fn preflight(headers: &HeaderMap) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let allowed = response.headers_mut();
    allowed.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
    allowed.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE));
    if let Some(asked) = headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        allowed.insert(ACCESS_CONTROL_ALLOW_HEADERS, asked.clone());
    }
    response
}

/// Allows the page of an allowed origin to read a response.
pub(super) fn allow(mut response: Response, origin: HeaderValue) -> Response {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    headers.append(VARY, HeaderValue::from_static("origin"));
    response
}
