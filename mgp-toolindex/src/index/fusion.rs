//! Combines words and meaning.
//!
//! Both scores are scaled to 1 for the best tool, and mixed. The share of the words is decided for each query by signs of both
//! halves: how far the best stand out, how many of the query's words occur in any tool, how long the query is. The weights of the
//! signs were fitted by `cargo xtask fit` on the queries in docs/tool-index.md.

use super::{
    keyword::KeywordScores,
    meaning::{MeaningScores, UNKNOWN},
};

/// The weights that mix words and meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fusion {
    /// The weight of each of the [`Signs`].
    pub weights: [f32; Signs::COUNT],
}

/// The signs of one query, read from its two halves, as numbers of about one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signs(pub [f32; Signs::COUNT]);

/// The bound of a sign. A value further out has no more meaning.
const MAX_SIGN: f32 = 4.0;

impl Signs {
    /// The number of signs.
    pub const COUNT: usize = 9;

    /// The description of each sign.
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

    fn read(keyword: &KeywordScores, meaning: &MeaningScores) -> Self {
        let words =
            best(keyword.found.iter().map(|slot| keyword.scores[*slot as usize])).map(|score| score.max(0.0));
        let near = best(meaning.cosines.iter().copied());
        let top = words[0].max(1e-6);
        // In units of the spread of cosines, which is different for every embedder.
        let spread = meaning.deviation.max(0.02);
        let asked = keyword.words.max(1) as f32;
        let words_above = |nth: usize| (words[0] - words[nth]) / top;
        // With too few tools to compare, the sign has no meaning.
        let near_above = |nth: usize, usual: f32| {
            if near[nth] > UNKNOWN { (near[0] - near[nth]) / spread } else { usual }
        };
        // Each is scaled to a mean near 0 and a spread near 1, by rounded figures from the development sets.
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
        Self(signs.map(|sign| sign.clamp(-MAX_SIGN, MAX_SIGN)))
    }
}

impl Default for Fusion {
    /// Returns the fitted weights: the mean of those for the embedded table and those for a sentence model.
    fn default() -> Self {
        Self { weights: [-0.19, 0.09, 0.15, 0.0, 0.5, -0.24, -0.39, -0.25, 0.4] }
    }
}

impl Fusion {
    /// Returns the share of the words, 0 to 1.
    #[must_use]
    pub fn share_of_words(&self, signs: &Signs) -> f32 {
        let sum: f32 = signs.0.iter().zip(&self.weights).map(|(sign, weight)| sign * weight).sum();
        1.0 / (1.0 + (-sum).exp())
    }

    /// Returns the mix of words and meaning for a query, and the signs that decided it.
    pub(super) fn fuse(&self, keyword: &KeywordScores, meaning: &MeaningScores) -> (Mix, Signs) {
        let signs = Signs::read(keyword, meaning);
        let most = keyword.found.iter().map(|slot| keyword.scores[*slot as usize]).fold(0.0, f32::max);
        let share = if most > 0.0 { self.share_of_words(&signs) } else { 0.0 };
        let nearest = meaning.cosines.iter().copied().fold(f32::MIN, f32::max);
        let width = (nearest - meaning.mean).max(1e-6);
        (Mix { share, most, mean: meaning.mean, width }, signs)
    }
}

/// The mix of words and meaning for one query.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mix {
    /// The share of the words, 0 to 1.
    share: f32,
    /// The best score by words.
    most: f32,
    /// The mean cosine of the tools.
    mean: f32,
    /// The highest cosine, less the mean.
    width: f32,
}

impl Mix {
    /// Returns the score of a tool, at most 1.
    pub(super) fn score(self, words: f32, cosine: f32) -> f32 {
        let words = if self.most > 0.0 { words / self.most } else { 0.0 };
        // A tool without a vector is treated as being at the mean.
        let near = if cosine > UNKNOWN { (cosine - self.mean) / self.width } else { 0.0 };
        self.share * words + (1.0 - self.share) * near
    }
}

/// Returns the five largest scores, the largest first.
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
