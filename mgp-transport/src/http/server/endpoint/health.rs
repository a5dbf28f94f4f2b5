//! The paths by which supervisors and load balancers check a server: whether it runs, accepts calls, and can serve them.

use crate::http::server::{refusal::json, state::ServerState};
use axum::{
    Router,
    extract::State,
    response::{IntoResponse, Response},
    routing,
};
use http::{HeaderValue, StatusCode, header::CACHE_CONTROL};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// The path that says whether the server accepts calls.
const HEALTH: &str = "/health";

/// The path that says whether the process runs.
const LIVE: &str = "/livez";

/// The path that says whether a balancer may send requests here.
const READY: &str = "/readyz";

/// The time limit of the check whether the server can serve calls.
const CHECK_TIMEOUT: Duration = Duration::from_secs(1);

/// Returns the routes of the paths, without those that another route has. A prober has no key, and may use any address as the
/// server's name. So nothing is checked, and only the status is returned.
pub(in crate::http::server) fn router(server: &Arc<ServerState>) -> Router {
    let free = |path: &str| !server.has_path(path) && !server.has_path(&format!("{path}/"));
    let mut router = Router::new();
    if free(HEALTH) {
        router = router.route(HEALTH, routing::get(health));
    }
    if free(LIVE) {
        router = router.route(LIVE, routing::get(live));
    }
    if free(READY) {
        router = router.route(READY, routing::get(ready));
    }
    router.with_state(server.clone())
}

/// Responds 200 while the server accepts calls, and 503 once a shutdown begins.
async fn health(State(server): State<Arc<ServerState>>) -> Response {
    response(if server.is_draining() { Status::Draining } else { Status::Ok })
}

/// Responds 200: the process runs.
async fn live() -> Response {
    response(Status::Ok)
}

/// Responds 200 while the server accepts calls and can serve them, and 503 once a shutdown is announced.
async fn ready(State(server): State<Arc<ServerState>>) -> Response {
    response(match server.is_leaving() {
        true => Status::Draining,
        false if is_ready(&server).await => Status::Ok,
        false => Status::Unready,
    })
}

async fn is_ready(server: &ServerState) -> bool {
    if server.replicas.as_ref().is_some_and(|replicas| !replicas.is_current()) {
        return false;
    }
    let Some(check) = &server.ready else { return true };
    let late = |_| Err(format!("the check took longer than {CHECK_TIMEOUT:?}"));
    let checked = timeout(CHECK_TIMEOUT, check()).await.unwrap_or_else(late);
    checked.inspect_err(|reason| tracing::debug!(reason, "the server is not ready")).is_ok()
}

/// The status that a path reports.
#[derive(Debug, Clone, Copy)]
enum Status {
    Ok,
    Draining,
    Unready,
}

fn response(status: Status) -> Response {
    let (code, text) = match status {
        Status::Ok => (StatusCode::OK, r#"{"status":"ok"}"#),
        Status::Draining => (StatusCode::SERVICE_UNAVAILABLE, r#"{"status":"draining"}"#),
        Status::Unready => (StatusCode::SERVICE_UNAVAILABLE, r#"{"status":"unready"}"#),
    };
    let mut response = (code, json(text)).into_response();
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
