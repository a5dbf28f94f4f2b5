//! The addresses of REST.

use super::call;
use crate::http::server::builder::Inner;
use axum::{Router, routing};
use std::sync::Arc;

/// The parts of REST that are served.
#[derive(Debug, Clone, Copy)]
pub(in crate::http::server) enum Rest {
    /// The tools and their description.
    Tools,
    /// These, and the page of documentation.
    #[cfg(feature = "http-docs")]
    ToolsAndDocs,
}

/// Returns the routes, with those of the page of documentation if it is wanted.
pub(in crate::http::server) fn routes(rest: Rest) -> Router<Arc<Inner>> {
    let routes = Router::new()
        .route("/tools", routing::get(call::list))
        .route("/tools/{name}", routing::post(call::call))
        .route("/openapi.json", routing::get(call::describe));
    let routes = match rest {
        Rest::Tools => routes,
        #[cfg(feature = "http-docs")]
        Rest::ToolsAndDocs => routes.merge(super::docs::routes()),
    };
    routes.method_not_allowed_fallback(call::wrong_method).fallback(call::unknown_address)
}
