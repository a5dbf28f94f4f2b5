//! The error for a name that the specification does not have.

use std::fmt;

/// A name that stands where the specification has a fixed list of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    what: &'static str,
    found: String,
    expected: &'static [&'static str],
}

/// How much of a wrong name an error shows, in characters.
const SHOWN: usize = 64;

impl UnknownName {
    pub(crate) fn new(what: &'static str, found: &str, expected: &'static [&'static str]) -> Self {
        Self { what, found: found.chars().take(SHOWN).collect(), expected }
    }

    /// The names that are accepted.
    #[must_use]
    pub fn expected(&self) -> &'static [&'static str] {
        self.expected
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} {:?}: expected one of {}", self.what, self.found, self.expected.join(", "))
    }
}

impl std::error::Error for UnknownName {}
