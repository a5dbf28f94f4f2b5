//! The method that describes the tools.

use super::document::document;
use crate::{catalog::tools::Tools, upstream::servers::Servers};
use mgp_transport::seam::{Incoming, Reply, Role, RouteError, Routes};
use mgp_types::{
    openapi::{DescribeApi, DescribeApiParams},
    rpc::ErrorObject,
};
use std::sync::Arc;

/// Returns the method.
pub(crate) fn routes() -> Routes<(Arc<Servers>, Arc<Tools>)> {
    Routes::new().route(DescribeApi, Role::Anyone, describe)
}

async fn describe(
    (servers, tools): (Arc<Servers>, Arc<Tools>),
    message: Incoming,
) -> Result<Reply, RouteError> {
    let params: DescribeApiParams = message.params.decode()?;
    let caller = message.caller()?;
    // As for a list of tools.
    servers.first_lists().await;
    let make = move || Reply::from_value(&document(&tools, &caller, &params));
    let made = tokio::task::spawn_blocking(make).await;
    Ok(made.unwrap_or_else(|_| ErrorObject::internal("the document could not be made").into()))
}
