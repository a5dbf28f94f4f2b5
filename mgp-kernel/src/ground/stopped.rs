//! The servers that the operator stopped.

use arc_swap::ArcSwap;
use std::{collections::HashSet, sync::Arc};

/// The servers that the operator stopped. Their tools are hidden from hosts, but keep their names.
#[derive(Debug, Default)]
pub(crate) struct StoppedServers(ArcSwap<HashSet<Box<str>>>);

impl StoppedServers {
    /// Returns whether the operator stopped a server.
    pub(crate) fn has(&self, server_id: &str) -> bool {
        self.0.load().contains(server_id)
    }

    /// Sets whether a server is stopped. Returns whether that is a change.
    pub(crate) fn set(&self, server_id: &str, stopped: bool) -> bool {
        if self.has(server_id) == stopped {
            return false;
        }
        self.0.rcu(|servers| {
            let mut servers = HashSet::clone(servers);
            if stopped {
                servers.insert(server_id.into());
            } else {
                servers.remove(server_id);
            }
            Arc::new(servers)
        });
        true
    }
}
