//! One result of a search.

use super::{Evidence, FLOOR, Field, Query, equals::LOST, query::whole_name};
use crate::{tool::IndexedTool, words::words};
use std::sync::Arc;

/// A tool that a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The tool.
    pub tool: Arc<IndexedTool>,
    /// The score that the tool was ranked by. Only comparable within one result.
    pub score: f32,
    /// The score by words: BM25 over all fields, without upper bound. 0 if the tool has no word of the query.
    pub words: f32,
    /// The score by meaning: the cosine of the tool's and the query's vectors, -1 to 1. `None` if no vector of the tool was
    /// compared.
    pub meaning: Option<f32>,
    /// The evidence that the tool serves, regardless of its rank.
    pub evidence: Evidence,
    /// True if the tool's server is down or not healthy.
    pub is_limited: bool,
}

impl Hit {
    /// Returns the probability that the tool serves, 0 to 1, in three digits. It is reduced for a deprecated tool, and for a tool
    /// of a server that is down or not healthy, but never so much that the tool would not serve.
    #[must_use]
    pub fn relevance(&self) -> f64 {
        let relevance = self.evidence.relevance();
        if self.is_reduced() && relevance > FLOOR {
            ((relevance * (1.0 - LOST) * 1000.0).round() / 1000.0).max(FLOOR)
        } else {
            relevance
        }
    }

    /// Returns `true` if the tool ranks behind others that serve as well.
    pub(super) fn is_reduced(&self) -> bool {
        self.is_limited || self.tool.is_deprecated()
    }

    /// Returns the fields that hold a word of a query; none if only the meaning or a similar name matched.
    #[must_use]
    pub fn matched_fields(&self, query: &Query) -> Vec<Field> {
        let matched = |field: &Field| match field {
            Field::WholeName => query.names().contains(&whole_name(field.text(&self.tool))),
            _ => words(field.text(&self.tool)).iter().any(|word| query.words().contains(word)),
        };
        Field::ALL.into_iter().filter(matched).collect()
    }
}
