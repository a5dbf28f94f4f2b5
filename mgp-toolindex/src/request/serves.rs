//! From where on a hit has the capability that was asked for.

use crate::index::{FLOOR, Hit};

/// Whether a hit serves the capability that it was found by.
#[must_use]
pub fn serves(hit: &Hit) -> bool {
    hit.relevance() >= FLOOR
}
