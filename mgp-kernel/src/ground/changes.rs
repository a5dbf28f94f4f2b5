//! Coalesces change notifications, from a server or for the hosts, until they are handled.

use std::{
    sync::atomic::{AtomicU8, Ordering},
    time::Duration,
};
use tokio::sync::Notify;

/// A kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Change {
    /// The list of tools.
    Tools = 1,
    /// The list of resources, or of their templates.
    Resources = 2,
    /// The list of prompts.
    Prompts = 4,
    /// The tools in lists that follow the session or the agent: loaded or used tools, and all tools of agents with few.
    FollowedTools = 8,
    /// The tools that the manifest describes. Hosts read it whatever their lists show.
    Manifest = 16,
}

/// The unhandled changes.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    open: AtomicU8,
    changed: Notify,
}

/// The time after a first change for which further changes are coalesced with it.
const GATHER: Duration = Duration::from_millis(20);

/// The set of changes that [`Changes::next`] took for handling.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChangeSet(u8);

impl Changes {
    /// Notes a change.
    pub(crate) fn note(&self, change: Change) {
        self.open.fetch_or(change as u8, Ordering::AcqRel);
        self.changed.notify_one();
    }

    /// Wakes the task that waits in [`next`](Self::next), even if nothing has changed.
    pub(crate) fn ring(&self) {
        self.changed.notify_one();
    }

    /// Waits for a change or for [`ring`](Self::ring), and shortly for further changes, then takes all of them.
    pub(crate) async fn next(&self) -> ChangeSet {
        self.changed.notified().await;
        tokio::time::sleep(GATHER).await;
        ChangeSet(self.open.swap(0, Ordering::AcqRel))
    }
}

impl ChangeSet {
    /// Returns whether a change is in the set.
    pub(crate) fn has(self, change: Change) -> bool {
        self.0 & change as u8 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn changes_in_quick_succession_are_one() {
        let changes = Changes::default();
        changes.note(Change::Tools);
        let (taken, ()) = tokio::join!(changes.next(), async {
            tokio::task::yield_now().await;
            changes.note(Change::Prompts);
            changes.note(Change::Tools);
        });
        assert!(taken.has(Change::Tools) && taken.has(Change::Prompts) && !taken.has(Change::Resources));
        changes.ring();
        assert!(!changes.next().await.has(Change::Tools));
    }
}
