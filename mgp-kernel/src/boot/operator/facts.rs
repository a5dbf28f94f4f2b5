//! The facts about a kernel that do not change while it runs.

use jiff::Timestamp;

/// The facts about a kernel that do not change while it runs.
#[derive(Debug, Clone)]
pub(crate) struct KernelFacts {
    pub(super) started_at: Timestamp,
    /// The name of the configuration, set by the program.
    pub(super) configuration: Option<String>,
}

impl KernelFacts {
    /// Returns the time of the start.
    #[cfg(feature = "metrics")]
    pub(crate) fn started_at(&self) -> Timestamp {
        self.started_at
    }

    /// Returns the facts of a kernel that is starting now.
    pub(crate) fn now(configuration: Option<String>) -> Self {
        Self { started_at: Timestamp::now(), configuration }
    }
}
