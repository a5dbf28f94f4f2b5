//! Words and meaning together.
//!
//! Both scores are brought to a scale that ends at 1 for the best tool, and mixed. How much the words count is decided for
//! each query from what both halves show of themselves: how far the best stand out, how many of the query's words any
//! tool knows, how long the query is. The weights were fitted by `cargo xtask fit`; docs/tool-index.md says on what.

use super::{
    keyword::Keyword,
    meaning::{Meaning, UNKNOWN},
};

/// How words and meaning are mixed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fusion {
    /// The weight of each of the [`Signs`].
    pub weights: [f32; Signs::COUNT],
}

/// What a query's two halves show of themselves, in numbers of about one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signs(pub [f32; Signs::COUNT]);

/// What lies further out says no more.
const MOST: f32 = 4.0;

impl Signs {
    /// How many there are.
    pub const COUNT: usize = 9;

    /// What each of them is.
    pub const NAMES: [&'static str; Self::COUNT] = [
        "one",
        "best words of all that could be",
        "words, how far the best is above the fifth",
        "words, how far the best is above the second",
        "how many words",
        "share of words that no tool has",
        "meaning, how far the best is above the fifth",
        "meaning, how far the best is above the second",
        "meaning, how far the best is above the mean",
    ];

    fn read(keyword: &Keyword, meaning: &Meaning) -> Self {
        let words =
            best(keyword.found.iter().map(|slot| keyword.scores[*slot as usize])).map(|score| score.max(0.0));
        let near = best(meaning.cosines.iter().copied());
        let top = words[0].max(1e-6);
        // In steps of how far cosines lie apart, which is different for every embedder.
        let spread = meaning.deviation.max(0.02);
        let asked = keyword.words.max(1) as f32;
        let words_above = |nth: usize| (words[0] - words[nth]) / top;
        // Where there are too few tools to compare, the sign says nothing.
        let near_above = |nth: usize, usual: f32| {
            if near[nth] > UNKNOWN { (near[0] - near[nth]) / spread } else { usual }
        };
        // Each brought to a mean near 0 and a spread near 1, by figures rounded from the development sets.
        let signs = [
            1.0,
            (words[0] / keyword.ideal.max(1e-6) - 0.4) * 8.0,
            (words_above(4) - 0.4) * 5.0,
            (words_above(1) - 0.2) * 5.0,
            (asked.ln_1p() - 2.2) * 2.0,
            (keyword.unknown as f32 / asked - 0.2) * 5.0,
            near_above(4, 1.5) - 1.5,
            (near_above(1, 0.7) - 0.7) * 1.5,
            (near[0] - meaning.mean) / spread - 5.0,
        ];
        Self(signs.map(|sign| sign.clamp(-MOST, MOST)))
    }
}

impl Default for Fusion {
    /// The weights that were fitted: the mean of those for the embedded table and of those for a sentence model.
    fn default() -> Self {
        Self { weights: [-0.19, 0.09, 0.15, 0.0, 0.5, -0.24, -0.39, -0.25, 0.4] }
    }
}

impl Fusion {
    /// How much the words count, 0 to 1.
    #[must_use]
    pub fn share_of_words(&self, signs: &Signs) -> f32 {
        let sum: f32 = signs.0.iter().zip(&self.weights).map(|(sign, weight)| sign * weight).sum();
        1.0 / (1.0 + (-sum).exp())
    }

    /// How the two are mixed for a query.
    pub(super) fn fuse(&self, keyword: &Keyword, meaning: &Meaning) -> (Mix, Signs) {
        let signs = Signs::read(keyword, meaning);
        let most = keyword.found.iter().map(|slot| keyword.scores[*slot as usize]).fold(0.0, f32::max);
        let share = if most > 0.0 { self.share_of_words(&signs) } else { 0.0 };
        let nearest = meaning.cosines.iter().copied().fold(f32::MIN, f32::max);
        let width = (nearest - meaning.mean).max(1e-6);
        (Mix { share, most, mean: meaning.mean, width }, signs)
    }
}

/// How words and meaning are mixed for one query.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mix {
    /// How much the words count.
    share: f32,
    /// The best score of words.
    most: f32,
    /// How near most tools are.
    mean: f32,
    /// How much nearer the nearest is.
    width: f32,
}

impl Mix {
    /// How well a tool fits, at most 1.
    pub(super) fn score(self, words: f32, cosine: f32) -> f32 {
        let words = if self.most > 0.0 { words / self.most } else { 0.0 };
        // A tool without a vector is as near as most are.
        let near = if cosine > UNKNOWN { (cosine - self.mean) / self.width } else { 0.0 };
        self.share * words + (1.0 - self.share) * near
    }
}

/// The five largest, the largest first.
fn best(scores: impl Iterator<Item = f32>) -> [f32; 5] {
    let mut best = [f32::MIN; 5];
    for score in scores {
        if score > best[4] {
            let at = best.partition_point(|known| *known >= score);
            best[at..].rotate_right(1);
            best[at] = score;
        }
    }
    best
}
