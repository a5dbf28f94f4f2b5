//! The settings of a run.

use std::time::Duration;

/// The bounds of a run, and its freedom to call tools.
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
}

impl Default for CheckSettings {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(10), total: Duration::from_secs(180), call_all: false, calls: 5 }
    }
}
