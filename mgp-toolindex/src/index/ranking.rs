//! The best of many scores.

use super::{slots::Entry, snapshot::Snapshot};
use std::cmp::Ordering;

/// A slot, its score, and the entry in the slot.
type RankedSlot<'a> = (usize, f32, &'a Entry);

/// The limit up to which maintaining a sorted list of the best is cheaper than sorting all of them.
const SORT_THRESHOLD: usize = 256;

/// Returns the best slots, the best first; slots with equal scores are ordered by server and name.
pub(super) fn best(
    snapshot: &Snapshot,
    scored: impl Iterator<Item = (usize, f32)>,
    limit: usize,
) -> Vec<RankedSlot<'_>> {
    if limit > SORT_THRESHOLD {
        let mut all: Vec<RankedSlot<'_>> =
            scored.filter_map(|(slot, score)| Some((slot, score, snapshot.table.get(slot)?))).collect();
        all.sort_by(order);
        all.truncate(limit);
        return all;
    }
    let mut best: Vec<RankedSlot<'_>> = Vec::with_capacity(limit + 1);
    for (slot, score) in scored {
        // Most scores are below the last of the best, so the tool itself need not be read.
        if limit == 0 || (best.len() == limit && best.last().is_some_and(|last| score < last.1)) {
            continue;
        }
        let Some(entry) = snapshot.table.get(slot) else { continue };
        let found = (slot, score, entry);
        let at = best.partition_point(|known| order(known, &found) != Ordering::Greater);
        best.insert(at, found);
        best.truncate(limit);
    }
    best
}

fn order(one: &RankedSlot<'_>, other: &RankedSlot<'_>) -> Ordering {
    other.1.total_cmp(&one.1).then_with(|| one.2.tool.id().cmp(other.2.tool.id()))
}
