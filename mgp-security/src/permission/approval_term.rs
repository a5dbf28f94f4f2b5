//! The calls that an approval holds for.

use jiff::Timestamp;
use std::fmt;

/// The calls that an approval holds for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalTerm {
    /// One call.
    Once,
    /// Every such call of the session in which the question arose.
    Session,
    /// Every such call until a time.
    Until(Timestamp),
    /// Every such call, until the approval is revoked.
    Always,
}

impl fmt::Display for ApprovalTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Once => f.write_str("once"),
            Self::Session => f.write_str("for its session"),
            Self::Until(end) => write!(f, "until {end:.3}"),
            Self::Always => f.write_str("always"),
        }
    }
}
