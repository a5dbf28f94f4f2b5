//! The method that describes the tools.

use super::document::document;
use crate::kernel::{servers::Servers, tools::Tools};
use mgp_transport::seam::{Incoming, Reply, Role, RouteError, Routes};
use mgp_types::openapi::{DescribeApi, DescribeApiParams};
use std::sync::Arc;

/// Returns the method.
pub(in crate::kernel) fn routes() -> Routes<(Arc<Servers>, Arc<Tools>)> {
    Routes::new().route(DescribeApi, Role::Anyone, describe)
}

async fn describe(
    (servers, tools): (Arc<Servers>, Arc<Tools>),
    message: Incoming,
) -> Result<Reply, RouteError> {
    let params: DescribeApiParams = message.params.decode()?;
    let caller = message.caller()?;
    // As for a list of tools.
    servers.first_starts().await;
    Ok(Reply::from_value(&document(&tools, &caller, params.server_url.as_deref())))
}
