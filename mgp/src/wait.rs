//! Waits for no more servers than a command needs.

use futures_util::future::select_all;
use mgp_client_sdk::kernel::{Kernel, Server};
use mgp_types::lifecycle::ServerState;

/// Waits until it is known which server has a tool: until all those before it in the configuration have come up or
/// failed, because the first one with the name keeps it.
pub(crate) async fn for_tool(kernel: &Kernel, name: &str) {
    let servers = kernel.servers();
    let mut changes: Vec<_> = servers.iter().map(|server| server.watch_status()).collect();
    // Without servers there is nothing to wait for.
    while !changes.is_empty() && !is_known(kernel, name) {
        let changed = changes.iter_mut().map(|status| Box::pin(status.changed()));
        // The senders live as long as the kernel does.
        let (changed, ..) = select_all(changed).await;
        if changed.is_err() {
            return;
        }
    }
}

fn is_known(kernel: &Kernel, name: &str) -> bool {
    // The tools of one that is started by requests are known.
    let starting = |server: &Server| {
        matches!(server.status().state, ServerState::Registered | ServerState::Connecting)
            && !server.is_on_demand()
    };
    let servers = kernel.servers();
    // `server__tool` names its server. No id holds the two underscores.
    if let Some((id, _)) = name.split_once("__")
        && let Some(server) = servers.iter().find(|server| server.id() == id)
    {
        return !starting(server);
    }
    let known = kernel.registry();
    for server in servers.iter() {
        if starting(server) {
            return false;
        }
        let known = known.iter().find(|known| *known.id == *server.id());
        if known.is_some_and(|known| known.tools.iter().any(|tool| **tool == *name)) {
            return true;
        }
    }
    true
}
