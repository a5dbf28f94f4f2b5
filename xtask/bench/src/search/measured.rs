//! The results of one contestant at one size.

use crate::measure::Round;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The times of searches, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Times {
    pub(super) p50: f64,
    pub(super) p99: f64,
}

impl Times {
    pub(super) fn of(searches: Vec<Duration>) -> Self {
        let whole = searches.iter().sum();
        let Round { p50, p99, .. } = Round::new(searches, whole);
        Self { p50, p99 }
    }
}

/// Our index, at one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Ours {
    /// The time from definitions to a searchable index, with the embedded embedder, in milliseconds.
    pub(super) build_ms: f64,
    /// Resident memory beyond the definitions' own JSON, after the queries and without pending writes, in KiB per tool.
    pub(super) kib_a_tool: f64,
    pub(super) keyword: Times,
    /// Searches by words and meaning, with the embedded embedder.
    pub(super) hybrid: Times,
    /// The number of changes to a server's tools during the searches, per second.
    pub(super) changes_a_second: f64,
    pub(super) model: Option<WithModel>,
}

/// Our index with a sentence model, at one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct WithModel {
    /// The time from definitions to a searchable index, with every vector in the cache, in milliseconds.
    pub(super) warm_start_ms: f64,
    /// Searches by words and meaning, without the model's time for the query.
    pub(super) hybrid: Times,
    /// The model's time for the query.
    pub(super) embedding: Times,
}

/// bm25s, at one size.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Peer {
    pub(super) build_ms: f64,
    pub(super) kib_a_tool: f64,
    pub(super) p50: f64,
    pub(super) p99: f64,
}
