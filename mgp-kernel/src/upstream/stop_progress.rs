//! The progress of the kernel's shutdown.

use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

/// The progress of the kernel's shutdown.
#[derive(Debug)]
pub(crate) struct StopProgress {
    begun: AtomicBool,
    /// True once a principal has requested the kernel to stop.
    asked: watch::Sender<bool>,
    ended: watch::Sender<bool>,
}

impl Default for StopProgress {
    fn default() -> Self {
        let (asked, ended) = (watch::Sender::new(false), watch::Sender::new(false));
        Self { begun: AtomicBool::new(false), asked, ended }
    }
}

impl StopProgress {
    /// Notes that the shutdown begins. Returns whether it had not begun before.
    pub(crate) fn begin(&self) -> bool {
        !self.begun.swap(true, Ordering::AcqRel)
    }

    /// Notes that a principal has requested the kernel to stop.
    pub(crate) fn note_asked(&self) {
        self.asked.send_replace(true);
    }

    /// Notes that every server has ended.
    pub(crate) fn note_ended(&self) {
        self.ended.send_replace(true);
    }

    /// Returns whether the shutdown has begun.
    pub(crate) fn is_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }

    /// Waits until every server has ended.
    pub(crate) async fn ended(&self) {
        // The sender is owned by this value.
        let _ = self.ended.subscribe().wait_for(|ended| *ended).await;
    }

    /// Waits until a principal with the admin role has requested the kernel to stop.
    pub(crate) async fn asked(&self) {
        // The sender is owned by this value.
        let _ = self.asked.subscribe().wait_for(|asked| *asked).await;
    }
}
