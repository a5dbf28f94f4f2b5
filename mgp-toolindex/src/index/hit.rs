//! One result of a search.

use super::{Field, Query, query::whole_name, words::words};
use crate::tool::IndexedTool;
use std::sync::Arc;

/// The score at which a hit is half certain.
const HALF: f64 = 12.0;

/// A tool that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The tool.
    pub tool: Arc<IndexedTool>,
    /// How well it fits: BM25 over the fields, each with its weight. Without upper bound.
    pub score: f32,
    /// The fields that hold a word of the query; none where only a name that is nearly the same was found.
    pub matched_fields: Vec<Field>,
}

impl Hit {
    pub(super) fn new(tool: Arc<IndexedTool>, score: f32, query: &Query) -> Self {
        let matched = |field: &Field| match field {
            Field::WholeName => query.names().contains(&whole_name(field.text(&tool))),
            _ => words(field.text(&tool)).iter().any(|word| query.words().contains(word)),
        };
        let matched_fields = Field::ALL.into_iter().filter(matched).collect();
        Self { matched_fields, tool, score }
    }

    /// The score as a number from 0 to 1: `score / (score + 12)`, in three digits.
    ///
    /// It grows with the score and never reaches 1. Among a few hundred tools, several rare words in name and description
    /// give 0.6 and more, and one word that many tools have gives 0.4 and less. Among few tools no word is rare, and all
    /// is lower; so it compares the tools of one answer.
    #[must_use]
    pub fn relevance(&self) -> f64 {
        let score = f64::from(self.score.max(0.0));
        (score / (score + HALF) * 1000.0).round() / 1000.0
    }
}
