//! The addresses of REST.

use super::call;
use crate::http::server::{
    auth::Gate,
    paths::{DESCRIPTION, Rest, TOOLS},
    state::ServerState,
};
use axum::{Router, routing};
use std::sync::Arc;

/// Returns the routes of the tools and their description.
pub(in crate::http::server) fn routes() -> Router<Arc<ServerState>> {
    Router::new()
        .route(TOOLS, routing::get(call::list))
        .route("/tools/{name}", routing::post(call::call))
        .route(DESCRIPTION, routing::get(call::describe))
        .method_not_allowed_fallback(call::wrong_method)
        .fallback(call::unknown_address)
}

/// Returns the routes that need no key or token: those of the page of documentation, if it is enabled.
#[cfg_attr(not(feature = "http-docs"), expect(unused_variables, reason = "no part is open"))]
pub(in crate::http::server) fn open_routes(rest: Rest, gate: &Arc<Gate>) -> Router {
    match rest {
        Rest::Tools => Router::new(),
        #[cfg(feature = "http-docs")]
        Rest::ToolsAndDocs => super::docs::routes(gate),
    }
}
