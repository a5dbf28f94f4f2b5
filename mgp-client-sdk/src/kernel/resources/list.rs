//! `resources/list` and `resources/templates/list`: the entries that the servers listed last, in the order of the configuration.

use crate::kernel::{
    core::Core,
    forward::visible,
    host::HostDialect,
    page::page,
    server::{Named, Offers},
};
use futures_util::future::join_all;
use mgp_transport::seam::Reply;
use mgp_types::{context::Principal, json::RawJson};
use std::collections::HashSet;

/// Answers `resources/list`, in one page.
pub(in crate::kernel) async fn list_resources(
    core: &Core,
    principal: &Principal,
    host: HostDialect,
) -> Reply {
    refresh(core, principal).await;
    let all = visible(core, principal).into_iter().map(|server| server.offers.resources());
    page("resources", &for_host(host, all.flat_map(|listed| listed.resources.clone())))
}

/// Answers `resources/templates/list`, in one page.
pub(in crate::kernel) async fn list_templates(
    core: &Core,
    principal: &Principal,
    host: HostDialect,
) -> Reply {
    refresh(core, principal).await;
    let all = visible(core, principal).into_iter().map(|server| server.offers.resources());
    page("resourceTemplates", &for_host(host, all.flat_map(|listed| listed.templates.clone())))
}

/// Reads the resources again of those servers that would not announce a change.
async fn refresh(core: &Core, principal: &Principal) {
    join_all(visible(core, principal).iter().map(Offers::refresh_resources)).await;
}

/// Returns the entries as a host gets them. Of two entries with the same URI or name, only the first is kept, because it is the one
/// that is reached.
pub(in crate::kernel) fn for_host(host: HostDialect, entries: impl Iterator<Item = Named>) -> Vec<RawJson> {
    let mut seen = HashSet::new();
    let first = entries.filter(|entry| seen.insert(entry.name.clone()));
    first.filter_map(|entry| host.entry(&entry.definition)).collect()
}
