//! The gate in front of all pages: the address, the session, and the origin of changes.

use crate::console::Console;
use axum::{
    body::Body,
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// The header in which a page sends its secret with every change.
pub(crate) const PAGE_TOKEN: &str = "x-page-token";

/// Lets only requests of the operators' own browsers through. The session of the request is added to its extensions.
pub(crate) async fn guard(State(console): State<Arc<Console>>, mut request: Request, next: Next) -> Response {
    let headers = request.headers();
    if !console.address.is_host(headers) {
        return refused(StatusCode::MISDIRECTED_REQUEST, &console.texts(headers).refused.host);
    }
    let is_change = !matches!(*request.method(), Method::GET | Method::HEAD);
    let is_report = request.uri().path() == "/csp-report";
    if is_change && !is_report && !console.address.is_own_page(headers) {
        return refused(StatusCode::FORBIDDEN, &console.texts(headers).refused.origin);
    }
    if is_open(request.uri().path()) {
        return next.run(request).await;
    }
    let session = console.address.secret(headers).and_then(|secret| console.sessions.find(secret));
    let Some(session) = session else { return to_sign_in(headers) };
    if is_change && !has_token(headers, session.page_token.as_str()) {
        return refused(StatusCode::FORBIDDEN, &console.texts(headers).refused.token);
    }
    request.extensions_mut().insert(session);
    next.run(request).await
}

/// Returns whether a path needs no session.
fn is_open(path: &str) -> bool {
    matches!(path, "/sign-in" | "/csp-report") || path.starts_with("/assets/")
}

fn has_token(headers: &HeaderMap, expected: &str) -> bool {
    headers.get(PAGE_TOKEN).is_some_and(|token| token.as_bytes().ct_eq(expected.as_bytes()).into())
}

fn to_sign_in(headers: &HeaderMap) -> Response {
    if headers.contains_key("hx-request") {
        let mut response = StatusCode::UNAUTHORIZED.into_response();
        response.headers_mut().insert("hx-redirect", HeaderValue::from_static("/sign-in"));
        return response;
    }
    Redirect::to("/sign-in").into_response()
}

fn refused(status: StatusCode, text: &str) -> Response {
    (status, Body::from(text.to_owned())).into_response()
}
