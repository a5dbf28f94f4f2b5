//! The callers for whom `hybrid` lists all of their tools, because these take fewer tokens than the meta-tools.

use super::Tools;
use crate::kernel::{
    catalog::tool_index::{closed_tools, waiting_groups},
    upstream::{Server, servers::Servers},
};
use mgp_toolindex::exposure::{DirectListing, Exposure, are_few_by_length, meta_tokens, take_fewer};
use mgp_transport::seam::Visibility;
use mgp_types::context::Principal;
use parking_lot::Mutex;
use std::{
    collections::HashSet,
    sync::{Arc, OnceLock},
};

/// The maximum number of remembered callers. Beyond that, every caller is treated as one of them.
const MAX_CALLERS: usize = 4096;

/// The remembered callers with few tools.
#[derive(Debug, Default)]
pub(in crate::kernel) struct FewTools {
    /// The ids of callers whose list had all of their tools, so that it changes with them.
    listed: Mutex<HashSet<String>>,
    /// The number of tokens of the meta-tools, once counted.
    meta_tokens: OnceLock<u64>,
}

impl Tools {
    /// Returns the form in which the list of a principal contains its tools. `recommends` is true if the meta-tools may recommend
    /// servers of registries.
    pub(in crate::kernel) async fn direct_listing(
        &self,
        servers: &Servers,
        principal: &Principal,
        recommends: bool,
    ) -> DirectListing {
        if !self.lists_all(principal).await {
            return DirectListing::Off;
        }
        let mut listed = self.few.listed.lock();
        if listed.len() < MAX_CALLERS {
            listed.insert(principal.id().to_owned());
        }
        drop(listed);
        match recommends || self.has_more(servers, principal) {
            true => DirectListing::BesideMetaTools,
            false => DirectListing::WithoutMetaTools,
        }
    }

    /// Returns whether the list of a principal has all tools that it may call, because they are few.
    pub(in crate::kernel) async fn lists_all(&self, principal: &Principal) -> bool {
        if let Some(lists) = self.lists_all_by_length(principal) {
            return lists;
        }
        self.can_count().await;
        let (view, names) = (self.offered.view(principal), self.load().names.clone());
        let budget = self.sessions.budget();
        let most = *self.few.meta_tokens.get_or_init(|| meta_tokens(&**budget.counter()));
        take_fewer(&names, &*view, budget, most)
    }

    /// Returns the result of [`lists_all`](Self::lists_all), if it is known without counting tokens.
    pub(in crate::kernel) fn lists_all_by_length(&self, principal: &Principal) -> Option<bool> {
        if self.exposure != Exposure::Hybrid {
            return Some(false);
        }
        let (view, names) = (self.offered.view(principal), self.load().names.clone());
        are_few_by_length(&names, &*view)
    }

    /// Returns whether the list of a principal may change after a change of tools or rights, because it has, or had, all of the
    /// principal's tools.
    pub(super) fn list_follows(&self, principal: &Principal) -> bool {
        let was_listed = || {
            let listed = self.few.listed.lock();
            listed.len() >= MAX_CALLERS || listed.contains(principal.id())
        };
        self.exposure == Exposure::Hybrid
            && (self.lists_all_by_length(principal) != Some(false) || was_listed())
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
