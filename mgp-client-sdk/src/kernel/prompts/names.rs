//! What hosts call the prompts: as their server does; where two servers have a name, the first in the order of the configuration
//! keeps it, and the other's is `server__name`, under which each can always be reached.

use crate::kernel::{core::Core, forward::visible, server::Server};
use mgp_types::context::Principal;
use std::sync::Arc;

/// The prompt that a host means by a name: its server, and its name there.
pub(in crate::kernel) fn find(
    core: &Core,
    principal: &Principal,
    name: &str,
) -> Option<(Arc<Server>, String)> {
    let has =
        |server: &Arc<Server>, name: &str| server.offers.prompts().iter().any(|prompt| prompt.name == name);
    let visible = visible(core, principal);
    // Who has the bare name does not depend on who asks.
    let servers = core.servers.all();
    if let Some(server) = servers.iter().find(|server| has(server, name)) {
        let sees = visible.iter().any(|known| Arc::ptr_eq(known, server));
        return sees.then(|| (server.clone(), name.to_owned()));
    }
    let prefixed = visible
        .iter()
        .filter_map(|server| Some((server, name.strip_prefix(server.id())?.strip_prefix("__")?)));
    prefixed
        .filter(|(server, own)| has(server, own))
        .map(|(server, own)| (server.clone(), own.to_owned()))
        .next()
}

/// What hosts are shown a server's prompt as.
pub(super) fn shown(core: &Core, server: &Arc<Server>, name: &str) -> String {
    let servers = core.servers.all();
    let earlier = servers.iter().take_while(|other| !Arc::ptr_eq(other, server));
    let taken =
        earlier.into_iter().any(|other| other.offers.prompts().iter().any(|prompt| prompt.name == name));
    if taken { format!("{}__{name}", server.id()) } else { name.to_owned() }
}
