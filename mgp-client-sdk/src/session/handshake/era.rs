//! The two eras of MCP, from the point of view of a client.

use std::time::Duration;

/// An era of MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// A connection begins with `initialize`: 2024-11-05 to 2025-11-25.
    Initialize,
    /// Each request is independent: 2026-07-28.
    Stateless,
}

/// The choice of a server's era.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EraChoice {
    /// The server is probed with `server/discover`. If it does not answer, fails, or answers with an error that only earlier revisions
    /// have, the era of `initialize` is used.
    Auto {
        /// The time limit of the answer, after which the earlier era is assumed. The time in which the client obtains rights (OAuth) does not
        /// count, because a person may be asked.
        probe_timeout: Duration,
    },
    /// This era is used, without probing.
    Known(Era),
}

impl EraChoice {
    /// The server is probed, with five seconds to answer: enough for one that starts slowly.
    pub const AUTO: Self = Self::Auto { probe_timeout: Duration::from_secs(5) };

    /// The choice for byte streams, which cannot be opened again if the probe ends the server.
    pub(in crate::session) const STREAMS: Self = Self::Known(Era::Initialize);

    /// Returns whether the server may be used in sessions.
    pub fn allows_sessions(self) -> bool {
        !matches!(self, Self::Known(Era::Stateless))
    }

    /// Reserves enough of a limit for the other era, if the server does not answer the probe.
    pub(in crate::session) fn within(self, limit: Duration) -> Self {
        match self {
            Self::Auto { probe_timeout } => Self::Auto { probe_timeout: probe_timeout.min(limit / 2) },
            known => known,
        }
    }
}

impl Default for EraChoice {
    fn default() -> Self {
        Self::AUTO
    }
}
