//! What of a server, or for the hosts, has changed and was not looked at yet. Changes in quick succession are one.

use std::{
    sync::atomic::{AtomicU8, Ordering},
    time::Duration,
};
use tokio::sync::Notify;

/// What can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Change {
    /// The list of tools.
    Tools = 1,
    /// The list of resources, or of their templates.
    Resources = 2,
    /// The list of prompts.
    Prompts = 4,
    /// The tools that sessions have loaded or used, of those that there are.
    SessionTools = 8,
}

/// What has changed and was not looked at yet.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    open: AtomicU8,
    changed: Notify,
}

/// How long more changes are waited for after the first.
const GATHER: Duration = Duration::from_millis(20);

/// Changes that were taken to be looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken(u8);

impl Changes {
    /// Notes a change.
    pub(crate) fn note(&self, change: Change) {
        self.open.fetch_or(change as u8, Ordering::AcqRel);
        self.changed.notify_one();
    }

    /// Lets who waits look, also where nothing has changed.
    pub(crate) fn ring(&self) {
        self.changed.notify_one();
    }

    /// Waits for a change, or to be rung, and for what follows at once.
    pub(crate) async fn next(&self) -> Taken {
        self.changed.notified().await;
        tokio::time::sleep(GATHER).await;
        Taken(self.open.swap(0, Ordering::AcqRel))
    }
}

impl Taken {
    /// Whether this is among them.
    pub(crate) fn has(self, change: Change) -> bool {
        self.0 & change as u8 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
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
