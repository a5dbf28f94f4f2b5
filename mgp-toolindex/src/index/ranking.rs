//! The best of many scores.

use super::{slots::Entry, snapshot::Snapshot};
use std::cmp::Ordering;

/// The best slots, the best first; where two score the same, by server and name.
pub(super) fn best(
    snapshot: &Snapshot,
    scored: impl Iterator<Item = (usize, f32)>,
    limit: usize,
) -> Vec<(usize, f32, &Entry)> {
    let mut best: Vec<(usize, f32, &Entry)> = Vec::with_capacity(limit + 1);
    for (slot, score) in scored {
        // Most scores are below the last one that counts, and nothing else has to be looked at.
        if limit == 0 || (best.len() == limit && best.last().is_some_and(|last| score < last.1)) {
            continue;
        }
        let Some(entry) = snapshot.table.get(slot) else { continue };
        let before = |known: &(usize, f32, &Entry)| {
            known.1.total_cmp(&score).reverse().then_with(|| known.2.tool.id().cmp(entry.tool.id()))
                != Ordering::Greater
        };
        let at = best.partition_point(before);
        best.insert(at, (slot, score, entry));
        best.truncate(limit);
    }
    best
}
