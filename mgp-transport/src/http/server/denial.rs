//! Requests that were denied before they reached a session, for an audit trail.

use mgp_types::context::Principal;
use std::fmt;

/// The reason why a request is denied before it reaches a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DenialReason {
    /// The request has no credentials.
    MissingCredentials,
    /// The credentials have an invalid form.
    InvalidRequest,
    /// The API key is not known.
    WrongKey,
    /// The token is not valid.
    InvalidToken,
    /// The token has expired.
    ExpiredToken,
    /// The token does not allow the method or the tool.
    InsufficientScope,
    /// The request is for a host name that is not this server's.
    ForbiddenHost,
    /// The request comes from a page that may not use this server.
    ForbiddenOrigin,
}

/// A denied request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Denial {
    /// The reason.
    pub reason: DenialReason,
    /// The caller, if its credentials identify it.
    pub principal: Option<Principal>,
}

/// A function that is called for every denied request.
pub(super) type DenialObserver = dyn Fn(Denial) + Send + Sync;

impl DenialReason {
    /// Returns the reason in one word, such as `wrong_key`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MissingCredentials => "missing_credentials",
            Self::InvalidRequest => "invalid_request",
            Self::WrongKey => "wrong_key",
            Self::InvalidToken => "invalid_token",
            Self::ExpiredToken => "expired_token",
            Self::InsufficientScope => "insufficient_scope",
            Self::ForbiddenHost => "forbidden_host",
            Self::ForbiddenOrigin => "forbidden_origin",
        }
    }
}

impl fmt::Display for DenialReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
