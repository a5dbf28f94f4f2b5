//! `resources/list` and `resources/templates/list`: the entries that the servers listed last, in the order of the configuration.

use crate::kernel::{
    forward::Forwarder,
    host::HostDialect,
    page::page,
    server::{NamedEntry, Offers, Server},
};
use futures_util::future::join_all;
use mgp_transport::seam::{Incoming, Reply, RouteError};
use mgp_types::json::RawJson;
use std::{collections::HashSet, sync::Arc};

/// Answers `resources/list`, in one page.
pub(super) async fn list_resources(forwarder: Forwarder, message: Incoming) -> Result<Reply, RouteError> {
    let servers = of_caller(&forwarder, &message).await?;
    let (host, all) =
        (HostDialect::of(message.session()), servers.iter().map(|server| server.offers.resources()));
    Ok(page("resources", &for_host(host, all.flat_map(|listed| listed.resources.clone()))))
}

/// Answers `resources/templates/list`, in one page.
pub(super) async fn list_templates(forwarder: Forwarder, message: Incoming) -> Result<Reply, RouteError> {
    let servers = of_caller(&forwarder, &message).await?;
    let (host, all) =
        (HostDialect::of(message.session()), servers.iter().map(|server| server.offers.resources()));
    Ok(page("resourceTemplates", &for_host(host, all.flat_map(|listed| listed.templates.clone()))))
}

/// Returns the servers that the caller of a message may use, after reading the resources again of those that would not announce a
/// change.
async fn of_caller(forwarder: &Forwarder, message: &Incoming) -> Result<Vec<Arc<Server>>, RouteError> {
    forwarder.servers.first_starts().await;
    let servers = forwarder.visible(&message.caller()?);
    join_all(servers.iter().map(Offers::refresh_resources)).await;
    Ok(servers)
}

/// Returns the entries as a host gets them. Of two entries with the same URI or name, only the first is kept, because it is the one
/// that is reached.
pub(in crate::kernel) fn for_host(
    host: HostDialect,
    entries: impl Iterator<Item = NamedEntry>,
) -> Vec<RawJson> {
    let mut seen = HashSet::new();
    let first = entries.filter(|entry| seen.insert(entry.name.clone()));
    first.filter_map(|entry| host.entry(&entry.definition)).collect()
}
