//! The names of prompts for hosts. A prompt keeps its server's name. If two servers have a prompt with the same name, the first
//! server in configuration order keeps the name, and the other's prompt is `server__name`. Under the latter form, each prompt can
//! always be reached.

use crate::upstream::{Server, servers::Servers};
use std::sync::Arc;

/// Finds the prompt with a name among those of the servers that its caller may use: its server, and its name there.
pub(crate) fn find(servers: &Servers, visible: &[Arc<Server>], name: &str) -> Option<(Arc<Server>, String)> {
    let has =
        |server: &Arc<Server>, name: &str| server.offers.prompts().iter().any(|prompt| prompt.name == name);
    // The owner of the bare name does not depend on the caller.
    let servers = servers.all();
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

/// Returns the name of a server's prompt for hosts.
pub(crate) fn shown(servers: &Servers, server: &Arc<Server>, name: &str) -> String {
    let all = servers.all();
    let earlier = all.iter().take_while(|other| !Arc::ptr_eq(other, server));
    let taken =
        earlier.into_iter().any(|other| other.offers.prompts().iter().any(|prompt| prompt.name == name));
    if taken { format!("{}__{name}", server.id()) } else { name.to_owned() }
}
