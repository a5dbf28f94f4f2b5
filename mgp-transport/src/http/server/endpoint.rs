//! The endpoint: one path, three methods.

use super::{builder::Inner, gate::gate, get, metadata, post, refusal::Refusal};
use crate::{
    connection::ConnectionError,
    http::{era, header::PROTOCOL_VERSION},
    seam::TokenGrant,
};
use axum::{
    Extension, Router,
    body::Body,
    extract::State,
    middleware,
    response::{IntoResponse, Response},
    routing,
};
use http::{HeaderMap, HeaderValue, StatusCode, header::ALLOW};
use mgp_types::context::Principal;
use std::sync::Arc;

pub(super) fn router(server: &Arc<Inner>) -> Router {
    let endpoint = routing::post(on_post).get(on_get).delete(on_delete);
    let mut router = Router::new().route(&server.path, endpoint);
    if let Some(paths) = &server.http_sse {
        router = paths.route(router);
    }
    router
        .layer(middleware::from_fn_with_state(server.clone(), gate))
        .with_state(server.clone())
        .merge(metadata::router(server))
}

async fn on_post(
    State(server): State<Arc<Inner>>,
    Extension(principal): Extension<Principal>,
    granted: Option<Extension<TokenGrant>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let granted = granted.map(|Extension(granted)| granted);
    post::post(&server, &principal, granted, &headers, body).await.unwrap_or_else(Refusal::into_response)
}

async fn on_get(
    State(server): State<Arc<Inner>>,
    Extension(principal): Extension<Principal>,
    headers: HeaderMap,
) -> Response {
    check_has_sessions(&headers)
        .and_then(|()| get::get(&server, &principal, &headers))
        .unwrap_or_else(Refusal::into_response)
}

/// Ends the session.
async fn on_delete(
    State(server): State<Arc<Inner>>,
    Extension(principal): Extension<Principal>,
    headers: HeaderMap,
) -> Response {
    let session = check_has_sessions(&headers).and_then(|()| server.sessions.find(&headers, &principal));
    let ended = session.and_then(|session| {
        check_version(&headers)?;
        server.sessions.remove(&session);
        session.end(ConnectionError::Closed);
        Ok(StatusCode::NO_CONTENT.into_response())
    });
    ended.unwrap_or_else(Refusal::into_response)
}

/// Refuses a method that is about sessions if the revision has none.
fn check_has_sessions(headers: &HeaderMap) -> Result<(), Refusal> {
    if !era::names_stateless(headers) {
        return Ok(());
    }
    let message = "there are no sessions in this revision of MCP: expected POST";
    let mut refusal = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, message);
    let allow = HeaderMap::from_iter([(ALLOW, HeaderValue::from_static("POST"))]);
    refusal.headers = Some(Box::new(allow));
    Err(refusal)
}

/// Refuses a revision that is not served.
pub(super) fn check_version(headers: &HeaderMap) -> Result<(), Refusal> {
    let version = headers.get(PROTOCOL_VERSION).map(|value| value.to_str().unwrap_or_default());
    era::version(version).map_err(|error| Refusal::with(StatusCode::BAD_REQUEST, error))?;
    Ok(())
}
