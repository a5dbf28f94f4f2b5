//! The last listings of servers, kept in the state, so that their tools can be shown and found before they have started, and while they are
//! not running.

use super::{Server, supervision::Supervision};
use mgp_discovery::listing::{KeptListing, ListingStore};
use mgp_lifecycle::state::Outlook;
use std::{collections::HashMap, sync::Arc};

/// The kept listings of servers, and the handling of servers without one. Clones share the store.
#[derive(Debug, Clone)]
pub(crate) struct Listings {
    /// The store of listings, if there is one.
    pub(crate) store: Option<Arc<dyn ListingStore>>,
    /// True if lazy servers without a kept listing are not started to list their tools.
    pub(crate) asleep: bool,
}

impl Listings {
    /// Returns every listing, by server.
    async fn load(&self) -> HashMap<String, KeptListing> {
        let Some(store) = &self.store else { return HashMap::new() };
        match store.load().await {
            Ok(kept) => kept.into_iter().map(|kept| (kept.server_id.clone(), kept)).collect(),
            Err(error) => {
                tracing::warn!(%error, "kept listings cannot be read: the tools of servers are known once they have started");
                HashMap::new()
            }
        }
    }

    /// Stores a server's listing. A server of one session is left out, because it ends with it.
    pub(crate) async fn keep(&self, server: &Server) {
        let Some((store, listing)) = self
            .store
            .as_ref()
            .filter(|_| server.spec.session.is_none() && !server.is_replaced())
            .and_then(|store| Some((store, server.listing()?)))
        else {
            return;
        };
        if let Err(error) = store.keep(listing).await {
            tracing::warn!(
                server = server.id(), %error,
                "its listing is not kept: with the next kernel, its tools are known once it has started"
            );
        }
    }

    /// Removes a server's listing, because the next server with its id is a different one.
    pub(crate) async fn forget(&self, server_id: &str) {
        if let Some(store) = &self.store
            && let Err(error) = store.remove(server_id).await
        {
            tracing::warn!(server = server_id, %error, "its kept listing could not be removed");
        }
    }
}

impl Supervision {
    /// Loads the kept listings of servers, to be used until they list their tools again. Lazy servers with one stay asleep; those without one are
    /// started once.
    pub(crate) async fn recall(&self, servers: &[Arc<Server>]) {
        if self.listings.store.is_none() && !servers.iter().any(|server| server.spec.lazy) {
            return;
        }
        let kept = self.listings.load().await;
        let is_recalled =
            |server: &Arc<Server>| kept.get(server.id()).is_some_and(|kept| server.recall(kept));
        let (known, new): (Vec<_>, Vec<_>) = servers.iter().cloned().partition(is_recalled);
        for server in new.iter().filter(|server| server.spec.lazy) {
            if self.listings.asleep {
                self.servers.put_to_sleep(server);
            } else {
                server.lists_only();
            }
        }
        if known.is_empty() {
            return;
        }
        self.observer.tools_recalled(&known).await;
        for server in &known {
            if server.spec.lazy {
                self.servers.put_to_sleep(server);
            } else {
                server.gate.machine().note("is about to be started", Outlook::FirstStart);
            }
        }
        self.servers.warn_of_resource_overlaps();
    }
}
