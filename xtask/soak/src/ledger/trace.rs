//! The trace of a call.

use std::fmt;

/// The trace of a call, with which its events in the audit trail are found: a number that is unique in the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Trace(u64);

impl Trace {
    pub(super) fn new(number: u64) -> Self {
        Self(number)
    }

    /// Reads a trace of this run. Returns `None` for any other.
    pub(super) fn parse(text: &str) -> Option<Self> {
        u128::from_str_radix(text, 16).ok()?.try_into().ok().map(Self)
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
