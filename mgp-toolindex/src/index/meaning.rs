//! Searching by meaning: how near the vector of each visible tool is to that of the query.

use super::{keyword::Keyword, neighbours::Near, selection::Visible, slots::Table, snapshot::Snapshot};
use crate::vectors::Quantized;

/// Of very many tools, so many are compared to learn how near most are.
const SAMPLE: usize = 4_096;
/// And so many of those whose words fit best.
const BEST_WORDS: usize = 512;

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

/// Compares the visible tools: all of them, or, where there are very many, those that may be among the best.
///
/// The graph knows every tool. So it is used only for who sees every tool, lest what is hidden changes what is found; and
/// only without a filter, which may look for a few that are far.
pub(super) fn compare(
    snapshot: &Snapshot,
    query: &Quantized,
    visible: &Visible,
    words: &Keyword,
    is_filtered: bool,
) -> Meaning {
    match &snapshot.near {
        Some(near) if visible.are_all() && !is_filtered => compare_some(&snapshot.table, near, query, words),
        _ => compare_all(&snapshot.table, query, visible),
    }
}

fn compare_all(table: &Table, query: &Quantized, visible: &Visible) -> Meaning {
    let mut cosines = vec![UNKNOWN; table.len()];
    table.nearness(query, |slot| visible.has(slot), &mut cosines);
    let mut spread = Spread::default();
    cosines.iter().filter(|cosine| **cosine > UNKNOWN).for_each(|cosine| spread.add(*cosine));
    spread.meaning(cosines)
}

fn compare_some(table: &Table, near: &Near, query: &Quantized, words: &Keyword) -> Meaning {
    let compared = |slot: usize| table.cosine(slot, query);
    let mut spread = Spread::default();
    let sample = (0..table.len()).step_by((table.len() / SAMPLE).max(1));
    sample.filter_map(compared).for_each(|cosine| spread.add(cosine));
    let mut said = words.found.clone();
    if said.len() > BEST_WORDS {
        let score = |slot: &u32| words.scores[*slot as usize];
        said.select_nth_unstable_by(BEST_WORDS, |one, other| score(other).total_cmp(&score(one)));
        said.truncate(BEST_WORDS);
    }
    let mut cosines = vec![UNKNOWN; table.len()];
    for slot in near.graph.nearest(query).iter().chain(&*near.recent).chain(&said) {
        if let (Some(known), Some(cosine)) = (cosines.get_mut(*slot as usize), compared(*slot as usize)) {
            *known = cosine;
        }
    }
    spread.meaning(cosines)
}

/// Adds up cosines.
#[derive(Default)]
struct Spread {
    sum: f64,
    squares: f64,
    count: f64,
}

impl Spread {
    fn add(&mut self, cosine: f32) {
        let cosine = f64::from(cosine);
        self.sum += cosine;
        self.squares += cosine * cosine;
        self.count += 1.0;
    }

    fn meaning(&self, cosines: Vec<f32>) -> Meaning {
        let count = self.count.max(1.0);
        let mean = self.sum / count;
        let deviation = (self.squares / count - mean * mean).max(0.0).sqrt();
        Meaning { cosines, mean: mean as f32, deviation: deviation as f32 }
    }
}
