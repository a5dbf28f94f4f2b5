//! The probability that a tool serves.
//!
//! A rank identifies the best tool, but does not show whether that tool is suitable. So a hit is also rated by itself: by the
//! share of the query that the tool's text has, and by the nearness of its meaning. The weights were fitted by `cargo xtask fit`
//! on queries with a matching tool, and on queries for the tools of another set, where no tool could serve.
//!
//! The meaning of a tool is that of its whole text, so many described parameters dilute the meaning of its purpose. A query whose
//! words occur in the tool's name and description is therefore also rated by its words, and the higher of the two probabilities
//! counts.

/// The lowest relevance at which a tool is considered to serve. docs/tool-index.md has the measured accuracy.
pub const FLOOR: f64 = 0.2;

/// The evidence that a tool serves.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Evidence {
    /// The share of the query's words that the tool has, 0 to 1. Rare words count more. Words that no tool has count as
    /// missing.
    pub coverage: f32,
    /// The nearness of the meaning: 1 if it is the same, 0 if it is as far away as that of unrelated texts. `None` if it is
    /// unknown.
    pub nearness: Option<f32>,
    /// The share of the query's words that occur in the tool's name, title, description or keywords, 0 to 1. Every word
    /// counts the same.
    pub stated: f32,
}

/// The constant, and the weights of coverage and nearness.
const WITH_MEANING: [f64; 3] = [-4.4, 2.65, 8.75];
/// The constant, and the weight of coverage, if only words are known. The constant is lower than the fitted one, so that the same
/// floor fits both.
const WORDS_ALONE: [f64; 2] = [-1.9, 8.95];
/// The weight of the share of words that the tool's name and description lack, if words contradict the meaning. With a third of
/// them missing, words alone hardly suffice. It was chosen instead of fitted, because such tools are rare in the sets.
const MISSING: f64 = -10.0;

impl Evidence {
    /// Returns the probability that the tool serves, 0 to 1, in three digits.
    #[must_use]
    pub fn relevance(&self) -> f64 {
        let coverage = f64::from(self.coverage);
        let words = WORDS_ALONE[0] + WORDS_ALONE[1] * coverage;
        let sum = match self.nearness {
            Some(nearness) => {
                let both =
                    WITH_MEANING[0] + WITH_MEANING[1] * coverage + WITH_MEANING[2] * f64::from(nearness);
                both.max(words + MISSING * (1.0 - f64::from(self.stated)))
            }
            None => words,
        };
        (1000.0 / (1.0 + (-sum).exp())).round() / 1000.0
    }
}
