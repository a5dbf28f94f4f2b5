//! `prompts/list`: the prompts that the servers listed last, in the order of the configuration.

use super::names::shown;
use crate::kernel::{
    core::Core,
    forward::visible,
    host::HostDialect,
    page::page,
    resources::for_host,
    server::{Named, Offers},
};
use futures_util::future::join_all;
use mgp_transport::seam::Reply;
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
};

/// Answers `prompts/list`, in one page.
pub(in crate::kernel) async fn list_prompts(core: &Core, principal: &Principal, host: HostDialect) -> Reply {
    let servers = visible(core, principal);
    join_all(servers.iter().map(Offers::refresh_prompts)).await;
    let mut prompts = Vec::new();
    for server in &servers {
        for prompt in server.offers.prompts().iter() {
            prompts.push(renamed(prompt, shown(core, server, &prompt.name)));
        }
    }
    page("prompts", &for_host(host, prompts.into_iter()))
}

fn renamed(prompt: &Named, name: String) -> Named {
    let mut definition = prompt.definition.clone();
    if name != prompt.name
        && let Ok(mut object) = RawObject::from_json(&definition)
    {
        object.insert("name", RawJson::string(name.as_str()));
        definition = object.to_json();
    }
    Named { name, definition }
}
