//! The clock for the lifetimes of tokens.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the time, in seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
