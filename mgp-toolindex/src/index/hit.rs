//! One result of a search.

use super::{Evidence, FLOOR, Field, Query, equals::LOST, query::whole_name};
use crate::{tool::IndexedTool, words::words};
use std::sync::Arc;

/// A tool that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The tool.
    pub tool: Arc<IndexedTool>,
    /// What it was ranked by. Only comparable within one result.
    pub score: f32,
    /// How well its words fit: BM25 over all fields, without upper bound. 0 where no word of the query stands in it.
    pub words: f32,
    /// How near its meaning is to the query's: the cosine of their vectors, -1 to 1. None where nothing is known of it.
    pub meaning: Option<f32>,
    /// What speaks for it, whatever the rank.
    pub evidence: Evidence,
}

impl Hit {
    /// How likely it is to serve, 0 to 1, in three digits. A tool that says that it is deprecated loses a part, but never so
    /// much that it would not serve.
    #[must_use]
    pub fn relevance(&self) -> f64 {
        let relevance = self.evidence.relevance();
        if self.tool.is_deprecated() && relevance > FLOOR {
            ((relevance * (1.0 - LOST) * 1000.0).round() / 1000.0).max(FLOOR)
        } else {
            relevance
        }
    }

    /// The fields that hold a word of a query; none where only the meaning, or a name that is nearly the same, was found.
    #[must_use]
    pub fn matched_fields(&self, query: &Query) -> Vec<Field> {
        let matched = |field: &Field| match field {
            Field::WholeName => query.names().contains(&whole_name(field.text(&self.tool))),
            _ => words(field.text(&self.tool)).iter().any(|word| query.words().contains(word)),
        };
        Field::ALL.into_iter().filter(matched).collect()
    }
}
