//! Searching by meaning: how near the vector of each visible tool is to that of the query.

use super::{selection::Visible, snapshot::Snapshot};
use crate::vectors::Quantized;

/// What a search by meaning found.
pub(super) struct Meaning {
    /// For each slot the cosine of its tool's vector and the query's; [`UNKNOWN`] where the tool has none, or is not visible.
    pub(super) cosines: Vec<f32>,
    /// The mean over the visible tools that have a vector.
    pub(super) mean: f32,
    /// Their standard deviation.
    pub(super) deviation: f32,
}

/// Stands for a cosine that is not known. No vectors are so far apart.
pub(super) const UNKNOWN: f32 = -2.0;

/// Compares every visible tool.
pub(super) fn compare(snapshot: &Snapshot, query: &Quantized, visible: &Visible) -> Meaning {
    let mut cosines = vec![UNKNOWN; snapshot.table.len()];
    let (mut sum, mut squares, mut count) = (0.0_f64, 0.0_f64, 0.0_f64);
    snapshot.table.nearness(
        query,
        |slot| visible.has(slot),
        |slot, cosine| {
            cosines[slot] = cosine;
            sum += f64::from(cosine);
            squares += f64::from(cosine) * f64::from(cosine);
            count += 1.0;
        },
    );
    let mean = sum / count.max(1.0);
    let deviation = (squares / count.max(1.0) - mean * mean).max(0.0).sqrt();
    Meaning { cosines, mean: mean as f32, deviation: deviation as f32 }
}
