//! Updates a session's cache to the catalogue, the caller's rights and the budget.

use super::{
    PinnedTools, ToolSession,
    cache::{Cache, Place},
};
use crate::{
    budget::Budget,
    catalogue::{CatalogueView, NamedTool},
};
use mgp_transport::seam::ToolView;
use mgp_types::context::ToolId;
use std::cmp::Reverse;

/// The conditions under which a session's tools are settled, at one moment.
pub(super) struct SettleContext<'a> {
    /// All tools.
    pub(super) catalogue: &'a CatalogueView,
    /// The tools that the session's principal may call.
    pub(super) view: &'a dyn ToolView,
    /// The tools that the session always has.
    pub(super) pinned: &'a PinnedTools,
    /// The budget of the session.
    pub(super) budget: &'a Budget,
    /// True if the host receives security metadata, which takes tokens too.
    pub(super) with_security: bool,
}

/// A session's tools, in their form for the host.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionView {
    /// The pinned tools, by name.
    pub pinned: Vec<NamedTool>,
    /// The tools that were loaded or used, the most recently used first.
    pub cached: Vec<NamedTool>,
    /// The tokens of all these tools.
    pub tokens: u64,
    /// True if the cached tools have changed since the session was settled last.
    pub changed: bool,
}

impl SettleContext<'_> {
    /// Returns the tokens of a tool.
    pub(super) fn tokens(&self, tool: &NamedTool) -> u64 {
        self.budget.tokens(tool, self.with_security)
    }

    /// Returns a tool, if the principal may call it.
    pub(super) fn seen(&self, id: &ToolId) -> Option<NamedTool> {
        self.view.sees(id).then(|| self.catalogue.named(id)).flatten()
    }

    /// Counts tokens ahead, so that no call of a tool waits for the count while the session is locked.
    pub(super) fn count_ahead(&self, session: &ToolSession) {
        let known: Vec<ToolId> = session.0.lock().tools.keys().cloned().collect();
        let pinned = self.pinned.tools(self.catalogue, self.view);
        for tool in known.iter().filter_map(|id| self.seen(id)).chain(pinned) {
            self.tokens(&tool);
        }
    }

    /// Returns the total tokens of the tools.
    pub(super) fn sum(&self, tools: &[NamedTool]) -> u64 {
        tools.iter().map(|tool| self.tokens(tool)).sum()
    }
}

impl ToolSession {
    /// Removes the tools that are gone or that the principal may no longer call, admits those that were used, and evicts the least
    /// recently used tools until the rest fits.
    pub(super) fn settle(&self, scene: &SettleContext<'_>) -> SessionView {
        scene.count_ahead(self);
        settle(&mut self.0.lock(), scene)
    }
}

pub(super) fn settle(cache: &mut Cache, scene: &SettleContext<'_>) -> SessionView {
    let pinned = scene.pinned.tools(scene.catalogue, scene.view);
    let pinned_tokens = scene.sum(&pinned);
    let room = scene.budget.cache_room(pinned_tokens);
    let pinned_ids = scene.pinned.ids(scene.catalogue);
    let (mut taken, mut changed) = (0, false);
    cache.tools.retain(|id, entry| {
        let was_cached = entry.place == Place::Cached;
        let Some(tool) = scene.seen(id) else {
            changed |= was_cached;
            return false;
        };
        let tokens = scene.tokens(&tool);
        entry.place = if pinned_ids.contains(id) || tokens > room { Place::Outside } else { Place::Cached };
        let is_cached = entry.place == Place::Cached;
        taken += if is_cached { tokens } else { 0 };
        changed |= was_cached != is_cached;
        true
    });
    while taken > room {
        let oldest = cache.least_recently_used(|entry| entry.place == Place::Cached);
        let Some(oldest) = oldest else { break };
        cache.tools.remove(&oldest);
        taken -= scene.seen(&oldest).map_or(0, |tool| scene.tokens(&tool));
        changed = true;
    }
    let mut cached: Vec<_> = cache.tools.iter().filter(|(_, entry)| entry.place == Place::Cached).collect();
    cached.sort_by_key(|(_, entry)| Reverse(entry.used));
    let cached = cached.into_iter().filter_map(|(id, _)| scene.seen(id)).collect();
    SessionView { pinned, cached, tokens: pinned_tokens + taken, changed }
}
