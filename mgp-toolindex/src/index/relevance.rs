//! The probability that a tool serves.
//!
//! A rank says which tool is best, not whether that tool is any good. So a hit is also judged by itself: by the share of
//! the query that the tool's text has, and by the nearness of its meaning. The weights were fitted by `cargo xtask fit` on
//! queries whose tool was there and on queries that were put to the tools of another set, where nothing could serve.

/// The lowest relevance at which a tool is taken to serve. docs/tool-index.md says how often that is right.
pub const FLOOR: f64 = 0.2;

/// The evidence that a tool serves.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Evidence {
    /// The share of the query's words that the tool has, 0 to 1. Rare words count more. Words that no tool has count as
    /// missing.
    pub coverage: f32,
    /// The nearness of the meaning: 1 if it is the same, 0 if it is as far away as that of unrelated texts. `None` if it is
    /// not known.
    pub nearness: Option<f32>,
}

/// The constant, and the weights of coverage and nearness.
const WITH_MEANING: [f64; 3] = [-4.4, 2.65, 8.75];
/// The constant, and the weight of coverage, if only words are known. The constant is lower than the fitted one, so that
/// one floor suits both.
const WORDS_ALONE: [f64; 2] = [-1.9, 8.95];

impl Evidence {
    /// Returns the probability that the tool serves, 0 to 1, in three digits.
    #[must_use]
    pub fn relevance(&self) -> f64 {
        let coverage = f64::from(self.coverage);
        let sum = match self.nearness {
            Some(nearness) => {
                WITH_MEANING[0] + WITH_MEANING[1] * coverage + WITH_MEANING[2] * f64::from(nearness)
            }
            None => WORDS_ALONE[0] + WORDS_ALONE[1] * coverage,
        };
        (1000.0 / (1.0 + (-sum).exp())).round() / 1000.0
    }
}
