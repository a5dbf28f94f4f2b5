//! The last lists of lazy servers, kept in the state, so that their tools are shown and found while they do not run.

use super::{core::Core, server::Server};
use mgp_discovery::listing::{KeptListing, ListingStore};
use std::{collections::HashMap, sync::Arc};

/// The store of listings, if there is one.
#[derive(Debug)]
pub(in crate::kernel) struct Listings(pub(in crate::kernel) Option<Arc<dyn ListingStore>>);

impl Listings {
    /// Returns every listing, by server. Servers without one are started to list their tools.
    async fn load(&self) -> HashMap<String, KeptListing> {
        let Some(store) = &self.0 else { return HashMap::new() };
        match store.load().await {
            Ok(kept) => kept.into_iter().map(|kept| (kept.server_id.clone(), kept)).collect(),
            Err(error) => {
                tracing::warn!(%error, "what servers listed last cannot be read: lazy servers are started once");
                HashMap::new()
            }
        }
    }

    /// Keeps what a lazy server lists.
    pub(in crate::kernel) async fn keep(&self, server: &Server) {
        let Some((store, listing)) = self
            .0
            .as_ref()
            .filter(|_| server.spec.lazy && !server.is_replaced())
            .and_then(|store| Some((store, server.listing()?)))
        else {
            return;
        };
        if let Err(error) = store.keep(listing).await {
            tracing::warn!(
                server = server.id(), %error,
                "what it lists is not kept: it is started again with the next kernel, to list its tools"
            );
        }
    }

    /// Removes what a server listed, because the next server of its id is another one.
    pub(in crate::kernel) async fn forget(&self, server_id: &str) {
        if let Some(store) = &self.0
            && let Err(error) = store.remove(server_id).await
        {
            tracing::warn!(server = server_id, %error, "what it listed last stays kept");
        }
    }
}

impl Core {
    /// Has lazy servers offer what they listed last, and leaves them asleep. Those of which nothing is kept are started once.
    pub(in crate::kernel) async fn recall(&self, servers: &[Arc<Server>]) {
        let lazy: Vec<_> = servers.iter().filter(|server| server.spec.lazy).collect();
        if lazy.is_empty() {
            return;
        }
        let kept = self.listings.load().await;
        let is_recalled =
            |server: &&&Arc<Server>| kept.get(server.id()).is_some_and(|kept| server.recall(kept));
        let (known, new): (Vec<_>, Vec<_>) = lazy.into_iter().partition(|server| is_recalled(&server));
        for server in new {
            server.lists_only();
        }
        let known: Vec<Arc<Server>> = known.into_iter().cloned().collect();
        self.tools_listed(&known).await;
        for server in &known {
            self.put_to_sleep(server);
        }
        self.servers.warn_of_resource_overlaps();
    }
}
