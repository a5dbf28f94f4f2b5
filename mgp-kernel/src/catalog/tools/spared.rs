//! The tokens of tool definitions that lists did not have, for hosts that searched instead.

use super::Tools;
use mgp_toolindex::{
    exposure::{Exposure, meta_tokens},
    session::ToolSession,
};
use mgp_transport::seam::Visibility;
use mgp_types::context::Principal;
use parking_lot::Mutex;
use std::{collections::HashSet, sync::Arc};

/// The most tools of a catalogue whose tokens are counted. With more, the tokens are unknown.
const MAX_COUNTED: usize = 10_000;

/// The tokens since the start; `None` until a session has searched.
#[derive(Debug, Default)]
pub(crate) struct SparedTokens(Mutex<Option<u64>>);

impl SparedTokens {
    /// Returns the tokens; `None` if no session has searched, or if the tools are too many to be counted.
    pub(crate) fn get(&self) -> Option<u64> {
        *self.0.lock()
    }

    fn add(&self, tokens: u64) {
        let mut sum = self.0.lock();
        *sum = Some(sum.unwrap_or_default().saturating_add(tokens));
    }
}

impl Tools {
    /// Counts the tokens that a session was spared, at its first search. Counts on another thread, because the tokens of many definitions
    /// take long. The counter is in memory already, because the search itself needs it.
    pub(in crate::catalog) fn count_spared(self: &Arc<Self>, principal: &Principal, session: &ToolSession) {
        if self.exposure == Exposure::Full || !session.search() {
            return;
        }
        let (tools, principal) = (self.clone(), principal.clone());
        tokio::task::spawn_blocking(move || {
            if let Some(tokens) = tools.spared_tokens(&principal) {
                tools.spared.add(tokens);
            }
        });
    }

    /// Returns the tokens of the tools that a principal may call, less those that its list has: pinned tools, and the meta-tools. A list
    /// with all tools has fewer tokens than the meta-tools, so that its host was spared nothing. `None` for too many tools.
    fn spared_tokens(&self, principal: &Principal) -> Option<u64> {
        let (view, names) = (self.offered.view(principal), self.load().names.clone());
        if names.iter().nth(MAX_COUNTED).is_some() {
            return None;
        }
        let listed = if self.exposure == Exposure::Hybrid { self.pinned.ids(&names) } else { HashSet::new() };
        let budget = self.sessions.budget();
        let unlisted =
            names.iter().filter(|named| view.sees(named.tool.id()) && !listed.contains(named.tool.id()));
        let tokens: u64 = unlisted.map(|named| budget.tokens(&named, false)).sum();
        let meta = *self.few.meta_tokens.get_or_init(|| meta_tokens(&**budget.counter()));
        Some(tokens.saturating_sub(meta))
    }
}
