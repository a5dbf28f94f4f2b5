//! The settings of a run.

use std::time::Duration;

/// The longest run, in waits for one answer.
const WAITS: u32 = 30;

/// The bounds of a run, and its permission to call tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckSettings {
    /// The longest wait for one answer.
    pub timeout: Duration,
    /// The longest run. Checks that have not begun by then are skipped.
    pub total: Duration,
    /// True if tools are called that are not marked as read-only.
    pub call_all: bool,
    /// The most tools that are called.
    pub calls: usize,
    /// True if the stateless revision is used with a server that also has `initialize`. With a server that refuses `initialize`,
    /// that revision is used anyway.
    pub without_initialize: bool,
}

impl CheckSettings {
    /// Sets the longest wait for one answer. The longest run is thirty times as long.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, total: timeout.saturating_mul(WAITS), ..self }
    }
}

impl Default for CheckSettings {
    fn default() -> Self {
        let unbounded = Self {
            timeout: Duration::ZERO,
            total: Duration::ZERO,
            call_all: false,
            calls: 5,
            without_initialize: false,
        };
        unbounded.timeout(Duration::from_secs(10))
    }
}
