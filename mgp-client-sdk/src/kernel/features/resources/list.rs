//! `resources/list` and `resources/templates/list`: the entries that the servers listed last, in configuration order.

use crate::kernel::{
    features::{
        forward::Forwarder,
        manifest::{self, MANIFEST_URI},
    },
    ground::page::page,
    host::HostDialect,
    upstream::{NamedEntry, Offers, Resources},
};
use futures_util::future::join_all;
use mgp_transport::seam::{Incoming, Reply, RouteError};
use mgp_types::json::RawJson;
use std::collections::HashSet;

/// Answers `resources/list`, in one page.
pub(super) async fn list_resources(forwarder: Forwarder, message: Incoming) -> Result<Reply, RouteError> {
    let own = NamedEntry { name: MANIFEST_URI.into(), definition: manifest::entry() };
    list(&forwarder, &message, "resources", Some(own), |listed| &listed.resources).await
}

/// Answers `resources/templates/list`, in one page.
pub(super) async fn list_templates(forwarder: Forwarder, message: Incoming) -> Result<Reply, RouteError> {
    list(&forwarder, &message, "resourceTemplates", None, |listed| &listed.templates).await
}

/// Lists the kernel's own entry and those of the servers that the caller of a message may use. The resources of servers that do not announce
/// changes are read again first.
async fn list(
    forwarder: &Forwarder,
    message: &Incoming,
    member: &'static str,
    own: Option<NamedEntry>,
    of: fn(&Resources) -> &Vec<NamedEntry>,
) -> Result<Reply, RouteError> {
    forwarder.servers.first_lists().await;
    let servers = forwarder.visible(&message.caller()?);
    join_all(servers.iter().map(|server| Offers::refresh_resources(server, &forwarder.servers))).await;
    let entries = servers.iter().flat_map(|server| of(&server.offers.resources()).clone());
    Ok(page(
        member,
        &for_host(
            HostDialect::of(message.session()),
            entries.filter(|entry| entry.name != MANIFEST_URI).chain(own),
        ),
    ))
}

/// Returns the entries for a host. Of two entries with the same URI or name, only the first is kept, because requests reach that
/// one.
pub(in crate::kernel) fn for_host(
    host: HostDialect,
    entries: impl Iterator<Item = NamedEntry>,
) -> Vec<RawJson> {
    let mut seen = HashSet::new();
    let first = entries.filter(|entry| seen.insert(entry.name.clone()));
    first.filter_map(|entry| host.entry(&entry.definition)).collect()
}
