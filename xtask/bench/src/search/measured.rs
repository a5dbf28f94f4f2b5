//! What one contestant measured at one size.

use crate::measure::Round;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long searches took, in microseconds.
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
    /// From definitions to an index that can be searched, with the embedded embedder, in milliseconds.
    pub(super) build_ms: f64,
    /// Resident memory beyond the definitions' own JSON, once the queries were answered and nothing is written, in KiB a tool.
    pub(super) kib_a_tool: f64,
    pub(super) keyword: Times,
    /// Words and meaning, with the embedded embedder.
    pub(super) hybrid: Times,
    /// How often a server's tools were changed meanwhile, a second.
    pub(super) changes_a_second: f64,
    /// None where every tool is compared.
    pub(super) clusters: Option<Clusters>,
    pub(super) model: Option<WithModel>,
}

/// Words and meaning at rest, with and without comparing every tool.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Clusters {
    /// From the start of the build until there were clusters, in milliseconds.
    pub(super) made_ms: f64,
    pub(super) every_tool: Times,
    pub(super) some_tools: Times,
    /// Of the ten best that are found where every tool is compared, so many are found, in percent.
    pub(super) found_percent: f64,
}

/// The same with a sentence model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct WithModel {
    /// From definitions to an index that can be searched, with every vector in the cache, in milliseconds.
    pub(super) warm_start_ms: f64,
    /// Words and meaning, without the time that the model takes for the query.
    pub(super) hybrid: Times,
    /// What the model takes for the query.
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
