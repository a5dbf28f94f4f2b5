//! Requests that were turned away at the door, for those who keep a trail of them.

use mgp_types::context::Principal;
use std::fmt;

/// A reason to turn a request away before it reaches a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DenialReason {
    /// It came without credentials.
    MissingCredentials,
    /// Its credentials are not in a form that could be judged.
    InvalidRequest,
    /// Its API key is not known.
    WrongKey,
    /// Its token does not count.
    InvalidToken,
    /// Its token does not allow the method or the tool.
    InsufficientScope,
    /// It came for a name that is not this server's.
    ForbiddenHost,
    /// It came from a page that may not use this server.
    ForbiddenOrigin,
}

/// A request that was turned away.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Denial {
    /// The reason.
    pub reason: DenialReason,
    /// The caller, where its credentials say who it is.
    pub principal: Option<Principal>,
}

/// Hears of every request that was turned away.
pub(super) type DenialObserver = dyn Fn(Denial) + Send + Sync;

impl DenialReason {
    /// The reason in one word, such as `wrong_key`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MissingCredentials => "missing_credentials",
            Self::InvalidRequest => "invalid_request",
            Self::WrongKey => "wrong_key",
            Self::InvalidToken => "invalid_token",
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
