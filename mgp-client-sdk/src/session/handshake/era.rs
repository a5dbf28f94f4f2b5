//! The two eras of MCP, from the point of view of a client.

#[cfg(feature = "kernel")]
use mgp_discovery::config::ServerEra;
use std::time::Duration;

/// An era of MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// A connection begins with `initialize`: 2024-11-05 to 2025-11-25.
    Initialize,
    /// Each request stands for itself: 2026-07-28.
    Stateless,
}

/// The choice of the era in which a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EraChoice {
    /// The server is asked with `server/discover`. A server that does not answer, fails with the question, or answers with an error that
    /// only earlier revisions have, is spoken to in the era of `initialize`.
    Auto {
        /// The time limit of the answer, after which the server counts as one of the earlier era. The time in which the client obtains rights
        /// (OAuth) does not count, because a person may be asked.
        probe_timeout: Duration,
    },
    /// The server is spoken to in this era, without asking.
    Known(Era),
}

impl EraChoice {
    /// The server is asked, and has five seconds to answer: enough for one that starts slowly.
    pub const AUTO: Self = Self::Auto { probe_timeout: Duration::from_secs(5) };

    /// The choice for byte streams, which cannot be opened again if the question ends the server.
    pub(in crate::session) const STREAMS: Self = Self::Known(Era::Initialize);

    /// Returns whether the server may be spoken to in sessions.
    #[cfg(feature = "kernel")]
    pub(crate) fn allows_sessions(self) -> bool {
        !matches!(self, Self::Known(Era::Stateless))
    }

    /// Leaves enough of a limit to speak to a server that does not answer the probe in the other era.
    pub(in crate::session) fn within(self, limit: Duration) -> Self {
        match self {
            Self::Auto { probe_timeout } => Self::Auto { probe_timeout: probe_timeout.min(limit / 2) },
            known => known,
        }
    }
}

#[cfg(feature = "kernel")]
impl From<ServerEra> for EraChoice {
    fn from(configured: ServerEra) -> Self {
        match configured {
            ServerEra::Auto => Self::AUTO,
            ServerEra::Initialize => Self::Known(Era::Initialize),
            ServerEra::Stateless => Self::Known(Era::Stateless),
        }
    }
}

impl Default for EraChoice {
    fn default() -> Self {
        Self::AUTO
    }
}
