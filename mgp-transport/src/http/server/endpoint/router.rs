//! The endpoint: one path, three methods.

use super::{get, http_sse, post};
use crate::{
    connection::ConnectionError,
    http::server::{
        auth::{gate, metadata},
        forwarding,
        refusal::Refusal,
        request::revision::{check_has_sessions, check_version},
        rest,
        state::ServerState,
    },
};
use axum::{Extension, Router, extract::State, middleware, routing};
use http::{HeaderMap, StatusCode};
use mgp_types::context::Principal;
use std::sync::Arc;

/// Returns the routes of a server, except that of the health path.
pub(in crate::http::server) fn router(server: &Arc<ServerState>) -> Router {
    let paths = &server.paths;
    let endpoint = || routing::post(post::post).get(get::get).delete(delete);
    let mut router = Router::new().route(&paths.endpoint, endpoint());
    if let Some(other) = other_form(&paths.endpoint).filter(|other| !server.has_path(other)) {
        router = router.route(&other, endpoint());
    }
    if let Some(paths) = &paths.http_sse {
        router = http_sse::route(paths, router);
    }
    if paths.rest.is_some() {
        router = router.merge(rest::routes());
    }
    if server.replicas.is_some() {
        router = router.layer(middleware::from_fn_with_state(server.clone(), forwarding::route));
    }
    let router = router
        .layer(middleware::from_fn_with_state(server.gate.clone(), gate::guard))
        .with_state(server.clone())
        .merge(metadata::router(&server.gate, &paths.endpoint));
    match paths.rest {
        Some(rest) => router.merge(rest::open_routes(rest, &server.gate)),
        None => router,
    }
}

/// Returns a path with its trailing slash added or removed, because many hosts are configured with the other form. `None` for the
/// root.
fn other_form(path: &str) -> Option<String> {
    match path.strip_suffix('/') {
        Some("") => None,
        Some(path) => Some(path.to_owned()),
        None => Some(format!("{path}/")),
    }
}

/// Ends the session.
async fn delete(
    State(server): State<Arc<ServerState>>,
    Extension(principal): Extension<Principal>,
    headers: HeaderMap,
) -> Result<StatusCode, Refusal> {
    check_has_sessions(&headers)?;
    let session = server.sessions.find(&headers, &principal)?;
    check_version(&headers)?;
    server.sessions.remove(&session);
    session.end(ConnectionError::Closed);
    Ok(StatusCode::NO_CONTENT)
}
