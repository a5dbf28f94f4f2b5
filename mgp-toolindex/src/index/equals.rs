//! Ranks deprecated tools, and tools of servers that are down or not healthy, behind tools that serve as well.

use super::Hit;

/// The share of its relevance that such a tool loses, so that tools of nearly the same relevance rank before it.
pub(super) const LOST: f64 = 0.2;

/// The number of places after such a tool that are searched for tools as relevant.
pub(super) const WINDOW: usize = 20;

/// Moves every such tool behind the later tools that are at least as relevant as its reduced relevance.
pub(crate) fn behind_equals(hits: &mut [Hit]) {
    for at in (0..hits.len()).rev() {
        if !hits[at].is_reduced() {
            continue;
        }
        let enough = hits[at].relevance();
        let window = &hits[at + 1..hits.len().min(at + 1 + WINDOW)];
        let equal = |other: &Hit| !other.is_reduced() && other.relevance() >= enough;
        if let Some(last) = window.iter().rposition(equal) {
            hits[at..=at + 1 + last].rotate_left(1);
        }
    }
}
