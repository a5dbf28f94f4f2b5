//! `resources/list` and `resources/templates/list`: what the servers listed last, in the order of the configuration.

use crate::kernel::{
    core::Core,
    forward::visible,
    server::{Named, Offers, Understands},
};
use futures_util::future::join_all;
use mgp_transport::seam::Reply;
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
};
use std::collections::HashSet;

/// Answers `resources/list`, in one page.
pub(in crate::kernel) async fn list_resources(
    core: &Core,
    principal: &Principal,
    host: Understands,
) -> Reply {
    refresh(core, principal).await;
    let all = visible(core, principal).into_iter().map(|server| server.offers.resources());
    page("resources", host, all.flat_map(|listed| listed.resources.clone()))
}

/// Answers `resources/templates/list`, in one page.
pub(in crate::kernel) async fn list_templates(
    core: &Core,
    principal: &Principal,
    host: Understands,
) -> Reply {
    refresh(core, principal).await;
    let all = visible(core, principal).into_iter().map(|server| server.offers.resources());
    page("resourceTemplates", host, all.flat_map(|listed| listed.templates.clone()))
}

/// Reads again what a server would not announce when it changes.
async fn refresh(core: &Core, principal: &Principal) {
    join_all(visible(core, principal).iter().map(Offers::refresh_resources)).await;
}

/// The entries in one page; of two that are asked for by the same, the first, because it is the one that is reached.
pub(in crate::kernel) fn page(
    member: &'static str,
    host: Understands,
    entries: impl Iterator<Item = Named>,
) -> Reply {
    let mut seen = HashSet::new();
    let mut definitions = Vec::new();
    for Named { name, definition } in entries {
        if seen.insert(name) {
            definitions.push(host.entry(&definition));
        }
    }
    let mut result = RawObject::new();
    match RawJson::from_value(&definitions) {
        Ok(definitions) => {
            result.insert(member, definitions);
            Reply::ok(result.to_json())
        }
        Err(error) => Reply::error(error.into()),
    }
}
