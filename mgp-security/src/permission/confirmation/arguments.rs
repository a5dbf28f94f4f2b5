//! The hash of a call's arguments.

use crate::canonical;
use mgp_types::json::RawJson;
use std::fmt;

/// The SHA-256 of a call's arguments, because an approval holds only for the arguments that were approved. The order of members, white
/// space and the escapes in strings make no difference.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ArgumentsHash([u8; 32]);

impl ArgumentsHash {
    pub(super) fn of(arguments: &RawJson) -> Self {
        Self(canonical::digest(arguments))
    }
}

impl fmt::Display for ArgumentsHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
