//! The addresses of the pages.

use super::{agents, approvals, now, servers, settings, tools, trail};
use crate::{
    console::Console,
    page::{Nav, page},
};
use axum::{Router, routing::get};
use std::sync::Arc;

/// Returns the routes of all pages.
pub(crate) fn router() -> Router<Arc<Console>> {
    Router::new()
        .route(Nav::Now.path(), page(Nav::Now, now::now))
        .route(Nav::Approvals.path(), page(Nav::Approvals, approvals::approvals))
        .route(Nav::Servers.path(), page(Nav::Servers, servers::servers))
        .route(Nav::Tools.path(), page(Nav::Tools, tools::tools))
        .route(Nav::Agents.path(), page(Nav::Agents, agents::agents))
        .route(Nav::Trail.path(), page(Nav::Trail, trail::trail))
        .route("/trail/export", get(trail::export))
        .route(Nav::Settings.path(), page(Nav::Settings, settings::settings))
}
