//! How long a result may be kept, and for whom.

use std::time::Duration;

spelled! {
    /// For whom a result may be kept.
    pub enum CacheScope as "cache scope" {
        /// For everybody.
        Public = "public",
        /// For those alone who asked with the same authorization.
        Private = "private",
    }
}

/// How long a result may be kept, and for whom. Every list, every resource that is read, and `server/discover` say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheHint {
    /// How long; zero where it must be asked for again each time. In milliseconds on the wire.
    pub ttl: Duration,
    /// For whom.
    pub scope: CacheScope,
}

impl CacheHint {
    /// Not to be kept at all.
    pub const NONE: Self = Self { ttl: Duration::ZERO, scope: CacheScope::Private };

    /// May be kept for everybody.
    #[must_use]
    pub const fn public(ttl: Duration) -> Self {
        Self { ttl, scope: CacheScope::Public }
    }

    /// May be kept for those who asked with the same authorization.
    #[must_use]
    pub const fn private(ttl: Duration) -> Self {
        Self { ttl, scope: CacheScope::Private }
    }

    /// Whether the results of a method carry a hint.
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
