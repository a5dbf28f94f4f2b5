//! The form in which lists of `hybrid` contain the tools of a caller with few of them.

use super::{
    tools::Tools,
    unavailable::{closed_tools, waiting_groups},
};
use crate::upstream::{Server, servers::Servers};
use mgp_toolindex::exposure::DirectListing;
use mgp_types::context::Principal;
use std::sync::Arc;

impl Tools {
    /// Returns the form in which the list of a principal contains its tools. `recommends` is true if the meta-tools may recommend
    /// servers of registries.
    pub(super) async fn direct_listing(
        &self,
        servers: &Servers,
        principal: &Principal,
        recommends: bool,
    ) -> DirectListing {
        if !self.lists_all(principal).await {
            return DirectListing::Off;
        }
        self.few.remember(principal);
        match recommends || self.has_more(servers, principal) {
            true => DirectListing::BesideMetaTools,
            false => DirectListing::WithoutMetaTools,
        }
    }

    /// Returns whether the meta-tools could show a principal more than the tools that it may call: tools that wait for an approval or are
    /// closed, and servers whose tools are unknown.
    fn has_more(&self, servers: &Servers, principal: &Principal) -> bool {
        let (rights, table) = (&self.offered.rights, self.table.load_full());
        let is_unknown = |server: &Arc<Server>| {
            server.greeting().is_none() && rights.access.allows_some(principal, server.id())
        };
        servers.load().iter().any(is_unknown)
            || !waiting_groups(rights, &table, Some(principal)).is_empty()
            || !closed_tools(rights, &table, Some(principal)).is_empty()
    }
}
