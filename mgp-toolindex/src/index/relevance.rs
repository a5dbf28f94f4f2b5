//! How likely a tool is to serve.
//!
//! A rank says which tool is best, not whether it is any good. So what was found is also judged by itself: how much of what
//! was asked is said in the tool, and how near its meaning is. The weights were fitted by `cargo xtask fit` on queries
//! whose tool was there and on queries that were put to the tools of another set, where nothing could serve.

/// From this relevance on, a tool is taken to serve. docs/tool-index.md says how often that is right.
pub const FLOOR: f64 = 0.2;

/// What speaks for a tool.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Evidence {
    /// How much of the query's words, rare ones counting more, is said in the tool: 0 to 1. Words that no tool has count
    /// as not said.
    pub coverage: f32,
    /// How near the meaning is: 1 where it is the same, 0 where it is as far as that of unrelated texts. None where
    /// nothing is known of it.
    pub nearness: Option<f32>,
}

/// What coverage and nearness count, and first the constant.
const WITH_MEANING: [f64; 3] = [-4.4, 2.65, 8.75];
/// The same where only words are known; the constant is lower than what was fitted, so that one floor suits both.
const WORDS_ALONE: [f64; 2] = [-1.9, 8.95];

impl Evidence {
    /// How likely the tool is to serve, 0 to 1, in three digits.
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
