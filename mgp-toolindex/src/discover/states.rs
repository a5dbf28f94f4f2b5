//! The states of servers, which are kept outside this crate.

use mgp_types::lifecycle::ServerState;
use std::{collections::HashSet, fmt, sync::Arc};

/// The states of servers: which servers are in a given state. The kernel's registry implements this trait.
pub trait ServerStates: fmt::Debug + Send + Sync + 'static {
    /// Returns the ids of the servers in `state`, or `None` if all servers are in it.
    fn in_state(&self, state: ServerState) -> Option<HashSet<Arc<str>>>;

    /// Returns the ids of the servers that are down or not healthy. Their tools rank behind other tools that serve as well.
    fn limited(&self) -> HashSet<Arc<str>> {
        HashSet::new()
    }
}

/// States in which every server is connected, for servers without states.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllConnected;

impl ServerStates for AllConnected {
    fn in_state(&self, state: ServerState) -> Option<HashSet<Arc<str>>> {
        (state != ServerState::Connected).then(HashSet::new)
    }
}
