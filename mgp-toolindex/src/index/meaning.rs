//! Searching by meaning: how near the vector of each visible tool is to that of the query.

use super::{keyword::Keyword, selection::Visible, slots::Table, snapshot::Snapshot};
use crate::vectors::{Clusters, Quantized};
use rayon::{iter::Either, prelude::*};

/// Of very many tools, so many are compared to learn how near most are,
const SAMPLE: usize = 4_096;
/// so many together: those that lie side by side are read at once.
const TOGETHER: usize = 8;
/// And so many of those whose words fit best,
const BEST_WORDS: usize = 512;
/// and of the clusters that are near one of so many tools, and at least so many.
const NEAR: (usize, usize) = (16, 512);

/// The fewest vectors that are compared on one core.
const AT_ONCE: usize = 4_096;

/// The result of a search by meaning.
pub(super) struct Meaning {
    /// For each slot the cosine of its tool's vector and the query's; [`UNKNOWN`] where the tool has none, or is not visible.
    pub(super) cosines: Vec<f32>,
    /// See [`Meaning::candidates`]; none where each slot may be.
    candidates: Option<Vec<u32>>,
    /// The mean over the visible tools that have a vector.
    pub(super) mean: f32,
    /// Their standard deviation.
    pub(super) deviation: f32,
}

impl Meaning {
    /// Compares the vectors of `slots` that were not compared yet. Returns whether there were any.
    pub(super) fn complete(
        &mut self,
        table: &Table,
        query: &Quantized,
        slots: impl Iterator<Item = usize>,
    ) -> bool {
        let mut learned = false;
        for slot in slots {
            let Some(known) = self.cosines.get_mut(slot).filter(|cosine| **cosine == UNKNOWN) else {
                continue;
            };
            if let Some(cosine) = table.cosine(slot, query) {
                *known = cosine;
                learned = true;
            }
        }
        learned
    }

    /// The slots of the tools that may be among the best, by meaning or by words, each once.
    pub(super) fn candidates(&self) -> impl Iterator<Item = usize> {
        match &self.candidates {
            Some(slots) => Either::Left(slots.iter().map(|slot| *slot as usize)),
            None => Either::Right(0..self.cosines.len()),
        }
    }
}

/// Stands for a cosine that is not known. No vectors are so far apart.
pub(super) const UNKNOWN: f32 = -2.0;

/// Compares the visible tools: all of them, or, where there are very many, those that may be among the best.
///
/// The clusters are those of all tools. So they are used only for who sees every tool, lest what is hidden changes what is found. And only where
/// something `may_be_missed`.
pub(super) fn compare(
    snapshot: &Snapshot,
    query: &Quantized,
    visible: &Visible,
    words: &Keyword,
    may_be_missed: bool,
) -> Meaning {
    match &snapshot.clusters {
        Some(clusters) if visible.are_all() && may_be_missed => {
            compare_some(&snapshot.table, clusters, query, words)
        }
        _ => compare_all(&snapshot.table, query, visible),
    }
}

fn compare_all(table: &Table, query: &Quantized, visible: &Visible) -> Meaning {
    let mut cosines = vec![UNKNOWN; table.len()];
    table.nearness(query, |slot| visible.has(slot), &mut cosines);
    let mut spread = Spread::default();
    cosines.iter().filter(|cosine| **cosine > UNKNOWN).for_each(|cosine| spread.add(*cosine));
    spread.meaning(cosines, None)
}

fn compare_some(table: &Table, clusters: &Clusters, query: &Quantized, words: &Keyword) -> Meaning {
    let compared = |slot: usize| table.cosine(slot, query);
    let mut spread = Spread::default();
    let firsts = (0..table.len()).step_by((table.len() * TOGETHER / SAMPLE).max(TOGETHER));
    let sample = firsts.flat_map(|first| first..table.len().min(first + TOGETHER));
    sample.filter_map(compared).for_each(|cosine| spread.add(cosine));
    let mut said = words.found.clone();
    if said.len() > BEST_WORDS {
        let score = |slot: &u32| words.scores[*slot as usize];
        said.select_nth_unstable_by(BEST_WORDS, |one, other| score(other).total_cmp(&score(one)));
        said.truncate(BEST_WORDS);
    }
    let mut cosines = vec![UNKNOWN; table.len()];
    let (share, least) = NEAR;
    let mut slots = clusters.near(query, (clusters.vectors() / share).max(least));
    slots.extend(&said);
    slots.sort_unstable();
    slots.dedup();
    let found: Vec<_> = slots.par_iter().with_min_len(AT_ONCE).map(|slot| compared(*slot as usize)).collect();
    for (slot, cosine) in slots.iter().zip(found) {
        if let (Some(known), Some(cosine)) = (cosines.get_mut(*slot as usize), cosine) {
            *known = cosine;
        }
    }
    slots.retain(|slot| cosines.get(*slot as usize).is_some_and(|cosine| *cosine > UNKNOWN));
    slots.extend(words.found.iter().filter(|slot| cosines[**slot as usize] == UNKNOWN));
    spread.meaning(cosines, Some(slots))
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

    fn meaning(&self, cosines: Vec<f32>, candidates: Option<Vec<u32>>) -> Meaning {
        let count = self.count.max(1.0);
        let mean = self.sum / count;
        let deviation = (self.squares / count - mean * mean).max(0.0).sqrt();
        Meaning { cosines, candidates, mean: mean as f32, deviation: deviation as f32 }
    }
}
