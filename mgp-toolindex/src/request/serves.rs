//! The threshold at which a hit has the capability that it was found by.

use crate::index::{FLOOR, Hit};

/// Returns whether a hit serves the capability that it was found by.
#[must_use]
pub fn serves(hit: &Hit) -> bool {
    hit.relevance() >= FLOOR
}
