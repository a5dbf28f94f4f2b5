//! The two eras of MCP, as who connects to a server sees them.

use std::time::Duration;

/// An era of MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// A connection begins with `initialize`: 2024-11-05 to 2025-11-25.
    Initialize,
    /// Each request stands for itself: 2026-07-28.
    Stateless,
}

/// In which era a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EraChoice {
    /// The server is asked with `server/discover`. One that does not answer, or answers with an error that only earlier revisions
    /// have, is spoken to in the era of `initialize`.
    Auto {
        /// How long a server may be silent before it counts as one of the earlier era.
        probe_time_limit: Duration,
    },
    /// This one, unasked.
    Known(Era),
}

impl EraChoice {
    /// The server is asked, and has five seconds: enough for one that starts slowly.
    pub const AUTO: Self = Self::Auto { probe_time_limit: Duration::from_secs(5) };
}

impl Default for EraChoice {
    fn default() -> Self {
        Self::AUTO
    }
}
