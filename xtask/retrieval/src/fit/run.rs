//! Fits the weights on every other query of some sets, and measures them on the rest.

use super::{
    climb::climb,
    judge::{self, Case},
    lesson::Lesson,
};
use crate::{arguments::FitArguments, embedder, set::IndexedSet};
use mgp_toolindex::index::{Fusion, SearchMode, Signs};
use std::fmt::Write as _;

/// The penalty for large weights.
const PENALTY: f64 = 1e-3;

/// A set, split into queries to learn from and the rest.
struct Lessons {
    set: IndexedSet,
    name: String,
    /// Every other query, starting with the first one.
    learned: Vec<Lesson>,
    rest: Vec<Lesson>,
}

pub(crate) fn run(arguments: &FitArguments) -> Result<String, String> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    let mut sets = Vec::new();
    for folder in &arguments.data {
        let set = runtime.block_on(IndexedSet::read(folder, embedder::builder(&arguments.embedder)?))?;
        let (mut learned, mut rest) = (Vec::new(), Vec::new());
        for (number, line) in set.queries.iter().enumerate() {
            let half = if number % 2 == 0 { &mut learned } else { &mut rest };
            half.extend(Lesson::read(&set, line)?);
        }
        sets.push(Lessons { set, name: folder.display().to_string(), learned, rest });
    }
    let all: Vec<&Lessons> = sets.iter().collect();
    let fusion = fit(&all);
    let mut text = String::from("NDCG@10 on the queries that were not learned from:\n");
    for set in &sets {
        let others: Vec<&Lessons> = sets.iter().filter(|other| other.name != set.name).collect();
        let without = fit(&others);
        let unseen = mean(&set.rest, |lesson| lesson.gain(&without));
        let _ = writeln!(
            text,
            "  {}: words {:.4}, meaning {:.4}, both {:.4} (fitted without this set {unseen:.4})",
            set.name,
            mean(&set.rest, |lesson| lesson.halves().1),
            mean(&set.rest, |lesson| lesson.halves().0),
            mean(&set.rest, |lesson| lesson.gain(&fusion)),
        );
    }
    for (name, weight) in Signs::NAMES.iter().zip(&fusion.weights) {
        let _ = writeln!(text, "  {weight:>6.2}  {name}");
    }
    for (name, mode) in [("words and meaning", SearchMode::Hybrid), ("only words", SearchMode::Keyword)] {
        let (learned, rest) = cases(&sets, mode)?;
        let weights = judge::fit(&learned);
        let _ = writeln!(text, "relevance, {name}: constant, coverage, nearness {weights:?}");
        text.push_str(&judge::floors(&rest, &weights));
    }
    Ok(text)
}

/// Returns the first results of every query, in its own set and in the others: of the queries to learn from, then of the rest.
fn cases(sets: &[Lessons], mode: SearchMode) -> Result<(Vec<Case>, Vec<Case>), String> {
    let (mut learned, mut rest) = (Vec::new(), Vec::new());
    for (own, lessons) in sets.iter().enumerate() {
        for (number, line) in lessons.set.queries.iter().enumerate() {
            let half = if number % 2 == 0 { &mut learned } else { &mut rest };
            for (at, other) in sets.iter().enumerate() {
                half.extend(Case::read(&other.set, line, mode, at != own)?);
            }
        }
    }
    Ok((learned, rest))
}

fn fit(sets: &[&Lessons]) -> Fusion {
    let value = |weights: &[f32; Signs::COUNT]| {
        let fusion = Fusion { weights: *weights };
        let gain: f64 = sets.iter().map(|set| mean(&set.learned, |lesson| lesson.smooth_gain(&fusion))).sum();
        let size: f64 = weights[1..].iter().map(|weight| f64::from(weight * weight)).sum();
        gain / sets.len().max(1) as f64 - PENALTY * size
    };
    let weights = climb([0.0; Signs::COUNT], value);
    Fusion { weights: weights.map(|weight| (weight * 100.0).round() / 100.0) }
}

fn mean(lessons: &[Lesson], of: impl Fn(&Lesson) -> f64) -> f64 {
    lessons.iter().map(of).sum::<f64>() / lessons.len().max(1) as f64
}
