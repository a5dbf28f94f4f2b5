//! Where servers stand, which another section knows.

use mgp_types::lifecycle::ServerState;
use std::{collections::HashSet, fmt, sync::Arc};

/// Knows which servers stand where. The kernel's registry does.
pub trait ServerStates: fmt::Debug + Send + Sync + 'static {
    /// The ids of the servers that stand in a state; `None` where all do.
    fn in_state(&self, state: ServerState) -> Option<HashSet<Arc<str>>>;
}

/// For servers that have no states of their own: all of them are connected.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllConnected;

impl ServerStates for AllConnected {
    fn in_state(&self, state: ServerState) -> Option<HashSet<Arc<str>>> {
        (state != ServerState::Connected).then(HashSet::new)
    }
}
