//! The last listings of servers, kept in the state, so that their tools can be shown and found before they have started, and while they are
//! not running.

use super::{Server, kept::listing};
use mgp_discovery::listing::{KeptListing, ListingStore};
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
    pub(super) async fn load(&self) -> HashMap<String, KeptListing> {
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
            .filter(|_| server.spec.session.is_none() && !server.succession.is_replaced())
            .and_then(|store| Some((store, listing(server)?)))
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
