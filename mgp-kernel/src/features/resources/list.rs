//! `resources/list` and `resources/templates/list`: the entries that the servers listed last, in configuration order.

use super::ResourceMethods;
use crate::{
    ground::page::page,
    host::HostDialect,
    upstream::{NamedEntry, Resources, refresh_resources},
};
use futures_util::future::join_all;
use mgp_transport::seam::{Incoming, Reply, RouteError};

/// Answers `resources/list`, in one page.
pub(super) async fn list_resources(methods: ResourceMethods, message: Incoming) -> Result<Reply, RouteError> {
    let own = methods.listed.iter();
    let own = own.map(|own| NamedEntry { name: own.uri().to_owned(), definition: own.entry() }).collect();
    list(&methods, &message, "resources", own, |listed| &listed.resources).await
}

/// Answers `resources/templates/list`, in one page.
pub(super) async fn list_templates(methods: ResourceMethods, message: Incoming) -> Result<Reply, RouteError> {
    list(&methods, &message, "resourceTemplates", Vec::new(), |listed| &listed.templates).await
}

/// Lists the kernel's own entries and those of the servers that the caller of a message may use. The resources of servers that do not announce
/// changes are read again first.
async fn list(
    methods: &ResourceMethods,
    message: &Incoming,
    member: &'static str,
    own: Vec<NamedEntry>,
    of: fn(&Resources) -> &Vec<NamedEntry>,
) -> Result<Reply, RouteError> {
    let forwarder = &methods.forwarder;
    forwarder.servers.first_lists().await;
    let servers = forwarder.visible(&message.caller()?);
    join_all(servers.iter().map(|server| refresh_resources(server, &forwarder.servers))).await;
    let entries = servers.iter().flat_map(|server| of(&server.offers.resources()).clone());
    let entries = entries.filter(|entry| methods.own(&entry.name).is_none()).chain(own);
    let entries = entries.map(|entry| (entry.name, entry.definition));
    Ok(page(member, &HostDialect::of(message.session()).entries(entries)))
}
