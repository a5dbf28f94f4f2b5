//! The error for a name that the specification does not list.

use std::fmt;

/// The error for a name in a place where the specification has a fixed list of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    what: &'static str,
    found: String,
    expected: &'static [&'static str],
}

/// The longest part of a wrong name that an error shows, in characters.
const SHOWN: usize = 64;

impl UnknownName {
    pub(crate) fn new(what: &'static str, found: &str, expected: &'static [&'static str]) -> Self {
        Self { what, found: found.chars().take(SHOWN).collect(), expected }
    }

    /// Returns the names that are accepted.
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
