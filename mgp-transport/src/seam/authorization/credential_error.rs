//! The reasons to reject credentials.

use super::Scopes;
use std::{borrow::Cow, time::Duration};

/// The reason why credentials are rejected, in the terms of RFC 6750. The texts are sent to the client: they must hold no part of
/// a token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialError {
    /// The request has no credentials: 401, with the scopes to request from an authorization server.
    #[error("missing credentials: expected Authorization: Bearer")]
    Missing {
        /// The scopes that every request needs.
        scopes: Scopes,
    },
    /// The request cannot be read: 400.
    #[error("{0}")]
    InvalidRequest(Cow<'static, str>),
    /// The token has expired: 401.
    #[error("{reason}")]
    ExpiredToken {
        /// The time at which it expired, in words.
        reason: Cow<'static, str>,
        /// The scopes that every request needs.
        scopes: Scopes,
    },
    /// The token is invalid, or meant for another server: 401.
    #[error("{reason}")]
    InvalidToken {
        /// The fault of the token.
        reason: Cow<'static, str>,
        /// The scopes that every request needs.
        scopes: Scopes,
    },
    /// The proof of possession of the token's key is missing or invalid: 401, by the scheme of RFC 9449.
    #[error("{reason}")]
    InvalidProof {
        /// The fault of the proof.
        reason: Cow<'static, str>,
        /// The scopes that every request needs.
        scopes: Scopes,
    },
    /// The token is valid, but allows too little: 403.
    #[error("{reason}")]
    InsufficientScope {
        /// The purpose that the scopes are needed for.
        reason: Cow<'static, str>,
        /// The scopes that a token must have: those that are missing, and those that the client has and should keep.
        scopes: Scopes,
    },
    /// The token cannot be checked, because a service that is needed for this cannot be reached: 503.
    #[error("{reason}")]
    Unavailable {
        /// The service that cannot be reached.
        reason: Cow<'static, str>,
        /// The time to wait before a retry.
        retry_after: Duration,
    },
}

impl CredentialError {
    /// Creates the error for a request without credentials.
    #[must_use]
    pub fn missing() -> Self {
        Self::Missing { scopes: Scopes::default() }
    }

    /// Creates the error for an invalid token.
    #[must_use]
    pub fn invalid_token(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::InvalidToken { reason: reason.into(), scopes: Scopes::default() }
    }

    /// Creates the error for a missing or invalid proof of possession.
    #[must_use]
    pub fn invalid_proof(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::InvalidProof { reason: reason.into(), scopes: Scopes::default() }
    }

    /// Creates the error for a token that has expired.
    #[must_use]
    pub fn expired_token(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::ExpiredToken { reason: reason.into(), scopes: Scopes::default() }
    }

    /// Creates the error for a token that allows too little.
    #[must_use]
    pub fn insufficient_scope(reason: impl Into<Cow<'static, str>>, scopes: Scopes) -> Self {
        Self::InsufficientScope { reason: reason.into(), scopes }
    }

    /// Creates the error for a token that cannot be checked at present.
    #[must_use]
    pub fn unavailable(reason: impl Into<Cow<'static, str>>, retry_after: Duration) -> Self {
        Self::Unavailable { reason: reason.into(), retry_after }
    }

    /// Adds the scopes that every request needs, so that the client requests them at once.
    #[must_use]
    pub fn asking_for(self, needed: &Scopes) -> Self {
        match self {
            Self::Missing { .. } => Self::Missing { scopes: needed.clone() },
            Self::InvalidToken { reason, .. } => Self::InvalidToken { reason, scopes: needed.clone() },
            Self::InvalidProof { reason, .. } => Self::InvalidProof { reason, scopes: needed.clone() },
            Self::ExpiredToken { reason, .. } => Self::ExpiredToken { reason, scopes: needed.clone() },
            other => other,
        }
    }
}
