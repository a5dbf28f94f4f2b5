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
    /// The tools, their description, and the page of documentation.
    #[cfg(feature = "http-docs")]
    ToolsAndDocs,
}

/// The address of the tools.
const TOOLS: &str = "/tools";

/// The address of their description.
const DESCRIPTION: &str = "/openapi.json";

impl Rest {
    /// Returns whether `path` is one of the fixed paths.
    pub(in crate::http::server) fn has_path(self, path: &str) -> bool {
        let is_open = match self {
            Self::Tools => false,
            #[cfg(feature = "http-docs")]
            Self::ToolsAndDocs => super::docs::FILES.contains(&path),
        };
        is_open || [TOOLS, DESCRIPTION].contains(&path)
    }
}

/// Returns the routes of the tools and their description.
pub(in crate::http::server) fn routes() -> Router<Arc<Inner>> {
    Router::new()
        .route(TOOLS, routing::get(call::list))
        .route("/tools/{name}", routing::post(call::call))
        .route(DESCRIPTION, routing::get(call::describe))
        .method_not_allowed_fallback(call::wrong_method)
        .fallback(call::unknown_address)
}

/// Returns the routes that need no key or token: those of the page of documentation, if it is enabled.
#[cfg_attr(not(feature = "http-docs"), expect(unused_variables, reason = "no part is open"))]
pub(in crate::http::server) fn open_routes(rest: Rest, server: &Arc<Inner>) -> Router {
    match rest {
        Rest::Tools => Router::new(),
        #[cfg(feature = "http-docs")]
        Rest::ToolsAndDocs => super::docs::routes(server),
    }
}
