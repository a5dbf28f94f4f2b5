//! `prompts/list`: the prompts that the servers listed last, in configuration order.

use super::PromptMethods;
use crate::{
    catalog::prompt_names::shown,
    ground::page::page,
    host::HostDialect,
    upstream::{NamedEntry, refresh_prompts},
};
use futures_util::future::join_all;
use mgp_transport::seam::{Incoming, Reply, RouteError};
use mgp_types::json::{RawJson, RawObject};

/// Answers `prompts/list`, in one page.
pub(super) async fn list_prompts(
    PromptMethods { forwarder, .. }: PromptMethods,
    message: Incoming,
) -> Result<Reply, RouteError> {
    forwarder.servers.first_lists().await;
    let servers = forwarder.visible(&message.caller()?);
    join_all(servers.iter().map(refresh_prompts)).await;
    let mut prompts = Vec::new();
    for server in &servers {
        for prompt in server.offers.prompts().iter() {
            prompts.push(renamed(prompt, shown(&forwarder.servers, server, &prompt.name)));
        }
    }
    Ok(page("prompts", &HostDialect::of(message.session()).entries(prompts.into_iter())))
}

/// Returns the name of a prompt for hosts, and its definition with this name.
fn renamed(prompt: &NamedEntry, name: String) -> (String, RawJson) {
    let mut definition = prompt.definition.clone();
    if name != prompt.name
        && let Ok(mut object) = RawObject::from_json(&definition)
    {
        object.insert("name", RawJson::string(name.as_str()));
        definition = object.to_json();
    }
    (name, definition)
}
