//! The callers for whom `hybrid` lists all of their tools, because these take fewer tokens than the meta-tools.

use super::Tools;
use mgp_toolindex::exposure::{Exposure, are_few_by_length, meta_tokens, take_fewer};
use mgp_transport::seam::Visibility;
use mgp_types::context::Principal;
use parking_lot::Mutex;
use std::{collections::HashSet, sync::OnceLock};

/// The maximum number of remembered callers. Beyond that, every caller is treated as one of them.
const MAX_CALLERS: usize = 4096;

/// The remembered callers with few tools.
#[derive(Debug, Default)]
pub(crate) struct FewTools {
    /// The ids of callers whose list had all of their tools, so that it changes with them.
    listed: Mutex<HashSet<String>>,
    /// The number of tokens of the meta-tools, once counted.
    pub(super) meta_tokens: OnceLock<u64>,
}

impl FewTools {
    /// Remembers a caller whose list has all of its tools.
    pub(in crate::catalog) fn remember(&self, principal: &Principal) {
        let mut listed = self.listed.lock();
        if listed.len() < MAX_CALLERS {
            listed.insert(principal.id().to_owned());
        }
    }
}

impl Tools {
    /// Returns whether the list of a principal has all tools that it may call, because they are few.
    pub(crate) async fn lists_all(&self, principal: &Principal) -> bool {
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
    pub(crate) fn lists_all_by_length(&self, principal: &Principal) -> Option<bool> {
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
}
