//! Ambiguous requests, which readers may interpret differently: a proxy in front of the server may use the first of two headers,
//! and the server the last.

use crate::http::{
    header::{LAST_EVENT_ID, METHOD, NAME, PROTOCOL_VERSION, SESSION_ID},
    server::{DenialReason, refusal::Refusal},
};
use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, ORIGIN},
};
use mgp_types::{mcp::McpErrorCode, rpc::ErrorObject};

/// The header of an API key, for clients that cannot send a bearer token.
pub(super) const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// The headers that decide for which principal, or in which way, a request is handled. Each may occur once. `Host` is checked
/// with the names of the server.
static SINGLE: [HeaderName; 10] = [
    AUTHORIZATION,
    X_API_KEY,
    ORIGIN,
    CONTENT_TYPE,
    SESSION_ID,
    PROTOCOL_VERSION,
    METHOD,
    NAME,
    LAST_EVENT_ID,
    HeaderName::from_static("x-idempotency-key"),
];

/// Creates the refusal of a request with two lengths of its body. It closes the connection, because the bytes after the body may not
/// be a request.
pub(in crate::http::server) fn two_lengths() -> Refusal {
    let message = "the body has a Content-Length and a Transfer-Encoding: expected one of them";
    refused(message).header(CONNECTION, HeaderValue::from_static("close"))
}

/// Refuses a request that repeats a header that may occur only once, or has two credentials.
pub(super) fn check(headers: &HeaderMap) -> Result<(), Refusal> {
    // Most requests repeat no header.
    if headers.len() > headers.keys_len()
        && let Some(name) = SINGLE.iter().find(|name| headers.get_all(*name).iter().nth(1).is_some())
    {
        let message = format!("the header {name} occurs twice: expected it once");
        return Err(if [PROTOCOL_VERSION, METHOD, NAME].contains(name) {
            mismatch(message)
        } else {
            refused(message)
        });
    }
    check_credentials(headers)
}

/// Refuses two credentials. A client may repeat its API key in the other header.
fn check_credentials(headers: &HeaderMap) -> Result<(), Refusal> {
    let (Some(authorization), Some(key)) = (headers.get(AUTHORIZATION), headers.get(X_API_KEY)) else {
        return Ok(());
    };
    if bearer(authorization).is_some_and(|token| token.as_bytes() == key.as_bytes()) {
        return Ok(());
    }
    Err(refused(
        "the request has two credentials: expected Authorization or X-API-Key, or the same key in both",
    ))
}

/// Returns the token of an `Authorization` header, if its scheme is `Bearer`.
pub(super) fn bearer(authorization: &HeaderValue) -> Option<&str> {
    let (scheme, token) = authorization.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Creates the refusal for a header that must agree with the message, with MCP's error code for that.
fn mismatch(message: String) -> Refusal {
    let error = ErrorObject::new(McpErrorCode::HeaderMismatch, message);
    Refusal::with(StatusCode::BAD_REQUEST, error).because(DenialReason::InvalidRequest)
}

fn refused(message: impl Into<String>) -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, message).because(DenialReason::InvalidRequest)
}
