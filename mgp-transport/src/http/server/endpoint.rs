//! The endpoint: one path, three methods.

use super::{
    builder::Inner, gate::gate, get, http_sse::Paths, metadata, post, refusal::Refusal, resource::WELL_KNOWN,
    rest, serve::ServeError,
};
use crate::{
    connection::ConnectionError,
    http::{
        era,
        header::{JSON, PROTOCOL_VERSION},
    },
};
use axum::{
    Extension, Router,
    extract::State,
    middleware,
    response::{IntoResponse, Response},
    routing,
};
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{ALLOW, CONTENT_TYPE},
};
use mgp_types::context::Principal;
use std::sync::Arc;

pub(super) fn router(server: &Arc<Inner>) -> Router {
    let endpoint = || routing::post(post::post).get(get::get).delete(delete);
    let mut router = Router::new().route(&server.path, endpoint());
    if let Some(other) = other_form(&server.path).filter(|other| !server.has_path(other)) {
        router = router.route(&other, endpoint());
    }
    if let Some(paths) = &server.http_sse {
        router = paths.route(router);
    }
    if server.rest.is_some() {
        router = router.merge(rest::routes());
    }
    let router = router
        .layer(middleware::from_fn_with_state(server.clone(), gate))
        .with_state(server.clone())
        .merge(metadata::router(server));
    match server.rest {
        Some(rest) => router.merge(rest::open_routes(rest, server)),
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

/// Returns whether a path can be a literal route.
fn is_routable(path: &str) -> bool {
    path.starts_with('/')
        && !path.contains(['{', '}'])
        && !path.split('/').any(|part| part.starts_with([':', '*']))
}

impl Inner {
    /// Returns whether a configured route is at `path`: the endpoint, HTTP+SSE, REST, or the metadata.
    pub(super) fn has_path(&self, path: &str) -> bool {
        self.path == path || self.has_http_sse(path) || self.has_fixed_path(path)
    }

    /// Checks that the endpoint and HTTP+SSE can be served at their paths.
    ///
    /// # Errors
    /// Returns [`ServeError::Path`] if a path cannot be served.
    pub(super) fn check_paths(&self) -> Result<(), ServeError> {
        let refused = |path: &str, expected| Err(ServeError::Path { path: path.to_owned(), expected });
        for path in self.http_sse.iter().flat_map(Paths::both).chain([&*self.path]) {
            if !is_routable(path) {
                return refused(
                    path,
                    "a path that begins with / and has no braces, and no part that begins with : or *",
                );
            }
            if self.has_fixed_path(path) {
                return refused(path, "another path, because REST or the metadata for tokens has this one");
            }
        }
        if self.has_http_sse(&self.path) {
            return refused(&self.path, "another path for the endpoint, because HTTP+SSE has this one");
        }
        Ok(())
    }

    fn has_http_sse(&self, path: &str) -> bool {
        self.http_sse.as_ref().is_some_and(|paths| paths.has(path))
    }

    /// Returns whether REST or the metadata for tokens is at `path`. Their paths cannot be configured.
    fn has_fixed_path(&self, path: &str) -> bool {
        let is_metadata = self.authority.authenticate.is_some() && path == WELL_KNOWN;
        is_metadata || self.rest.is_some_and(|rest| rest.has_path(path))
    }
}

/// Ends the session.
async fn delete(
    State(server): State<Arc<Inner>>,
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

/// Returns a response whose body is JSON.
pub(super) fn json(text: impl IntoResponse) -> Response {
    ([(CONTENT_TYPE, HeaderValue::from_static(JSON))], text).into_response()
}

/// Refuses a session method if the revision has no sessions.
pub(super) fn check_has_sessions(headers: &HeaderMap) -> Result<(), Refusal> {
    if !era::names_stateless(headers) {
        return Ok(());
    }
    let message = "there are no sessions in this revision of MCP: expected POST";
    let refusal = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, message);
    Err(refusal.header(ALLOW, HeaderValue::from_static("POST")))
}

/// Refuses a revision that is not served.
pub(super) fn check_version(headers: &HeaderMap) -> Result<(), Refusal> {
    let version = headers.get(PROTOCOL_VERSION).map(|value| value.to_str().unwrap_or_default());
    era::version(version).map_err(|error| Refusal::with(StatusCode::BAD_REQUEST, error))?;
    Ok(())
}
