//! The hint for how long, and for which callers, a result may be kept.

use std::time::Duration;

spelled! {
    /// The callers for which a result may be kept.
    pub enum CacheScope as "cache scope" {
        /// All callers.
        Public = "public",
        /// Only callers with the same authorization.
        Private = "private",
    }
}

/// A hint for how long, and for which callers, a result may be kept. The results of every list, of reading a resource
/// and of `server/discover` carry one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheHint {
    /// The time for which the result may be kept, in milliseconds on the wire; zero if it must be requested again each time.
    pub ttl: Duration,
    /// The callers for which the result may be kept.
    pub scope: CacheScope,
}

impl CacheHint {
    /// A result that must not be kept.
    pub const NONE: Self = Self { ttl: Duration::ZERO, scope: CacheScope::Private };

    /// Creates a hint that the result may be kept for all callers.
    #[must_use]
    pub const fn public(ttl: Duration) -> Self {
        Self { ttl, scope: CacheScope::Public }
    }

    /// Creates a hint that the result may be kept for callers with the same authorization.
    #[must_use]
    pub const fn private(ttl: Duration) -> Self {
        Self { ttl, scope: CacheScope::Private }
    }

    /// Returns whether the results of a method carry a hint.
    #[must_use]
    pub fn is_carried_by(method: &str) -> bool {
        matches!(
            method,
            "server/discover"
                | "tools/list"
                | "prompts/list"
                | "resources/list"
                | "resources/templates/list"
                | "resources/read"
        )
    }
}

impl Default for CacheHint {
    fn default() -> Self {
        Self::NONE
    }
}
