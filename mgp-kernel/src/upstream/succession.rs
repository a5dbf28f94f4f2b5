//! The place of a server among the servers that had its id before and after.

use mgp_lifecycle::state::Outlook;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::watch;

/// The generation number of the next server.
static GENERATIONS: AtomicU64 = AtomicU64::new(0);

/// The place of a server among the servers that had its id before and after.
#[derive(Debug)]
pub(crate) struct Succession {
    /// A number that distinguishes the server from every other one, even with the same id. A successor at the same command or URL keeps
    /// it.
    generation: AtomicU64,
    /// True once another server has replaced this one.
    replaced: watch::Sender<bool>,
    /// True if the server was added at runtime, so that no host's list waits for it.
    is_added_at_runtime: AtomicBool,
}

impl Succession {
    pub(super) fn new() -> Self {
        Self {
            generation: AtomicU64::new(GENERATIONS.fetch_add(1, Ordering::Relaxed)),
            replaced: watch::Sender::default(),
            is_added_at_runtime: AtomicBool::new(false),
        }
    }

    /// Returns the number that distinguishes the server from every other one, even with the same id.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Marks another server as replaced by this one, and keeps its generation if both have the same command or URL.
    pub(super) fn replace(&self, before: &Self, is_same_endpoint: bool) {
        if is_same_endpoint {
            self.generation.store(before.generation(), Ordering::Release);
        }
        before.replaced.send_replace(true);
    }

    /// Returns whether another server has replaced this one.
    pub(crate) fn is_replaced(&self) -> bool {
        *self.replaced.borrow()
    }

    /// Waits until another server has replaced this one.
    pub(crate) async fn replaced(&self) {
        // The sender is owned by this value.
        let _ = self.replaced.subscribe().wait_for(|replaced| *replaced).await;
    }

    /// Returns the outlook of the server at its end.
    pub(super) fn last_outlook(&self) -> Outlook {
        if self.is_replaced() { Outlook::Replaced } else { Outlook::Final }
    }

    /// Returns whether the server was added at runtime.
    pub(super) fn is_added_at_runtime(&self) -> bool {
        self.is_added_at_runtime.load(Ordering::Acquire)
    }

    /// Notes that the server was added at runtime.
    pub(crate) fn set_added_at_runtime(&self) {
        self.is_added_at_runtime.store(true, Ordering::Release);
    }
}
