//! The health path, for supervisors and load balancers to check whether the server accepts calls.

use crate::http::server::{refusal::json, state::ServerState};
use axum::{
    Router,
    extract::State,
    response::{IntoResponse, Response},
    routing,
};
use http::{HeaderValue, StatusCode, header::CACHE_CONTROL};
use std::sync::Arc;

/// The path, unless the endpoint has this path.
const HEALTH: &str = "/health";

/// Returns the route of the health path; none if another route has the path. A prober has no key, and may use any address as the
/// server's name. So nothing is checked, and only the status is returned.
pub(in crate::http::server) fn router(server: &Arc<ServerState>) -> Router {
    if [HEALTH, "/health/"].iter().any(|path| server.has_path(path)) {
        return Router::new();
    }
    Router::new().route(HEALTH, routing::get(health)).with_state(server.clone())
}

/// Responds 200 while the server accepts calls, and 503 once a shutdown begins.
async fn health(State(server): State<Arc<ServerState>>) -> Response {
    let (status, text) = match server.is_draining() {
        false => (StatusCode::OK, r#"{"status":"ok"}"#),
        true => (StatusCode::SERVICE_UNAVAILABLE, r#"{"status":"draining"}"#),
    };
    let mut response = (status, json(text)).into_response();
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
