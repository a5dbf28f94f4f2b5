//! What every request passes before anything of it is looked at: Host, Origin, API key.

use super::{builder::Inner, refusal::Refusal};
use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::StatusCode;
use std::sync::Arc;

/// Lets a request pass, with the principal that it is made for in its extensions.
pub(super) async fn gate(State(server): State<Arc<Inner>>, mut request: Request, next: Next) -> Response {
    if let Err(refusal) = server.origins.check(request.uri(), request.headers()) {
        return refusal.into_response();
    }
    let principal = if server.keys.is_empty() {
        server.principal.clone()
    } else if let Some(principal) = server.keys.principal(request.headers()) {
        principal
    } else {
        let message = "missing or wrong API key: expected Authorization: Bearer or X-API-Key";
        return Refusal::new(StatusCode::UNAUTHORIZED, message).into_response();
    };
    request.extensions_mut().insert(principal);
    next.run(request).await
}
