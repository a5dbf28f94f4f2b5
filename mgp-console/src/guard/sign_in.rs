//! The exchange of a token for a session, and the end of a session.

use super::{headers::Nonce, session::Session};
use crate::{console::Console, form::Form, page};
use axum::{
    Extension,
    body::Bytes,
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use std::sync::{Arc, atomic::Ordering};

/// Shows the page whose script sends the token in its fragment, which no server's log has.
pub(crate) async fn sign_in_page(
    State(console): State<Arc<Console>>,
    Extension(nonce): Extension<Nonce>,
    headers: HeaderMap,
) -> Response {
    page::sign_in(console.texts(&headers), &nonce).into_response()
}

/// Exchanges a token for the cookie of a new session.
pub(crate) async fn sign_in(
    State(console): State<Arc<Console>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let form = Form::parse(&body);
    let opened = console.sessions.open(form.one("token").unwrap_or_default());
    match opened {
        Err(error) => {
            tracing::error!(%error, "no session of the console could be opened");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
        Ok(None) => (StatusCode::FORBIDDEN, console.texts(&headers).sign_in.used.clone()).into_response(),
        Ok(Some(secret)) => with_cookie(&console.address.cookie(secret.as_str())),
    }
}

/// Ends the session.
pub(crate) async fn sign_out(
    State(console): State<Arc<Console>>,
    Extension(session): Extension<Arc<Session>>,
) -> Response {
    console.sessions.end(&session);
    let mut response = with_cookie(&console.address.no_cookie());
    response.headers_mut().insert("hx-redirect", HeaderValue::from_static("/sign-in"));
    response
}

/// Counts what a browser reports of forbidden content, so that a test sees it.
pub(crate) async fn report(State(console): State<Arc<Console>>, body: Bytes) -> StatusCode {
    console.violations.fetch_add(1, Ordering::Relaxed);
    let text = String::from_utf8_lossy(&body[..body.len().min(1000)]).into_owned();
    tracing::warn!(report = text, "a browser refused content of the console");
    StatusCode::NO_CONTENT
}

fn with_cookie(cookie: &str) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}
