//! Search by meaning: the similarity of each visible tool's vector to the query's.

use super::{selection::VisibleTools, slots::Table};
use crate::vectors::QuantizedVector;

/// The result of a search by meaning.
pub(super) struct MeaningScores {
    /// For each slot the cosine of its tool's vector and the query's, or [`UNKNOWN`] if the tool has no vector or is not visible.
    pub(super) cosines: Vec<f32>,
    /// The mean over the visible tools that have a vector.
    pub(super) mean: f32,
    /// The standard deviation over the same tools.
    pub(super) deviation: f32,
}

/// The value for an unknown cosine. No vectors are so far apart.
pub(super) const UNKNOWN: f32 = -2.0;

/// Compares every visible tool with the query.
pub(super) fn compare(table: &Table, query: &QuantizedVector, visible: &VisibleTools) -> MeaningScores {
    let mut cosines = vec![UNKNOWN; table.len()];
    table.nearness(query, |slot| visible.has(slot), &mut cosines);
    let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0_f64);
    for cosine in cosines.iter().filter(|cosine| **cosine > UNKNOWN).map(|cosine| f64::from(*cosine)) {
        sum += cosine;
        squares += cosine * cosine;
        count += 1.0;
    }
    let count = count.max(1.0);
    let mean = sum / count;
    let deviation = (squares / count - mean * mean).max(0.0).sqrt();
    MeaningScores { cosines, mean: mean as f32, deviation: deviation as f32 }
}
