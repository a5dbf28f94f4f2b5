//! From where on a hit has the capability that was asked for.

use crate::index::Hit;

/// The relevance that a hit must have at least. Below it, the words that the two share say nothing.
const FLOOR: f64 = 0.05;

/// Whether a hit serves the capability that it was found by.
#[must_use]
pub fn serves(hit: &Hit) -> bool {
    hit.relevance() >= FLOOR
}
