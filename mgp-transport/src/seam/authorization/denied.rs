//! Why credentials do not count.

use super::Scopes;
use std::{borrow::Cow, time::Duration};

/// Why credentials do not count, in the words of RFC 6750. The texts go to the client: they hold nothing of a token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Denied {
    /// There are none: 401, with what to ask an authorization server for.
    #[error("missing credentials: expected Authorization: Bearer")]
    Missing {
        /// The scopes that every request needs.
        scopes: Scopes,
    },
    /// The request cannot be read: 400.
    #[error("{0}")]
    InvalidRequest(Cow<'static, str>),
    /// The token is wrong, old or meant for another: 401.
    #[error("{reason}")]
    InvalidToken {
        /// What is wrong.
        reason: Cow<'static, str>,
        /// The scopes that every request needs.
        scopes: Scopes,
    },
    /// The token is right and allows too little: 403.
    #[error("{reason}")]
    InsufficientScope {
        /// What the scopes are needed for.
        reason: Cow<'static, str>,
        /// The scopes that a token must have: those that are missing, and those that the client has and should keep.
        scopes: Scopes,
    },
    /// Nobody can say whether the token is right, because what would tell cannot be reached: 503.
    #[error("{reason}")]
    Unavailable {
        /// What cannot be reached.
        reason: Cow<'static, str>,
        /// When to try again.
        retry_after: Duration,
    },
}

impl Denied {
    /// No credentials.
    #[must_use]
    pub fn missing() -> Self {
        Self::Missing { scopes: Scopes::default() }
    }

    /// A token that is wrong.
    #[must_use]
    pub fn invalid_token(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::InvalidToken { reason: reason.into(), scopes: Scopes::default() }
    }

    /// A token that allows too little.
    #[must_use]
    pub fn insufficient_scope(reason: impl Into<Cow<'static, str>>, scopes: Scopes) -> Self {
        Self::InsufficientScope { reason: reason.into(), scopes }
    }

    /// Nobody can tell for now.
    #[must_use]
    pub fn unavailable(reason: impl Into<Cow<'static, str>>, retry_after: Duration) -> Self {
        Self::Unavailable { reason: reason.into(), retry_after }
    }

    /// The same, with the scopes that every request needs, so that the client asks for them at once.
    #[must_use]
    pub fn asking_for(self, needed: &Scopes) -> Self {
        match self {
            Self::Missing { .. } => Self::Missing { scopes: needed.clone() },
            Self::InvalidToken { reason, .. } => Self::InvalidToken { reason, scopes: needed.clone() },
            other => other,
        }
    }
}
