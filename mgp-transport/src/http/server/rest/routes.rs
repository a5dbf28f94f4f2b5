//! The addresses of REST.

use super::call;
use crate::http::server::builder::Inner;
use axum::{Router, routing};
use std::sync::Arc;

/// Returns the routes.
pub(in crate::http::server) fn routes() -> Router<Arc<Inner>> {
    Router::new()
        .route("/tools/{name}", routing::post(call::call))
        .route("/openapi.json", routing::get(call::describe))
}
