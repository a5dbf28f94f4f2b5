//! Tools that say that they are deprecated, behind those that serve as well.

use super::Hit;

/// The share of its relevance that such a tool loses: others that are nearly as good are its equals, and better.
pub(super) const LOST: f64 = 0.2;

/// The number of places behind such a tool in which its equals are looked for.
pub(super) const WINDOW: usize = 20;

/// Puts every tool that says that it is deprecated behind those after it that are as relevant as what is left of its relevance.
pub(crate) fn behind_equals(hits: &mut [Hit]) {
    for at in (0..hits.len()).rev() {
        if !hits[at].tool.is_deprecated() {
            continue;
        }
        let enough = hits[at].relevance();
        let window = &hits[at + 1..hits.len().min(at + 1 + WINDOW)];
        let equal = |other: &Hit| !other.tool.is_deprecated() && other.relevance() >= enough;
        if let Some(last) = window.iter().rposition(equal) {
            hits[at..=at + 1 + last].rotate_left(1);
        }
    }
}
