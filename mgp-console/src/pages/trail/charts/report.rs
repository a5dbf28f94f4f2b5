//! The answer of `mgp audit count`.

use serde::Deserialize;

/// Counts of the events that fit some filters.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CountReport {
    pub(super) since: String,
    pub(super) until: String,
    pub(super) total: Counts,
    /// The spans of time, the oldest first, without a gap.
    pub(super) buckets: Vec<Bucket>,
    /// The agents, servers or tools, that with the most calls first.
    pub(super) groups: Vec<Group>,
    /// The number of groups that are left out.
    pub(super) left_out: u64,
}

/// The counts of a span of time.
#[derive(Debug, Deserialize)]
pub(super) struct Bucket {
    /// The start (RFC 3339).
    pub(super) from: String,
    #[serde(flatten)]
    pub(super) counts: Counts,
}

/// The counts of an agent, a server, a tool, a type or an outcome.
#[derive(Debug, Deserialize)]
pub(super) struct Group {
    pub(super) name: String,
    /// The server of a tool.
    #[serde(default)]
    pub(super) server_id: Option<String>,
    #[serde(flatten)]
    pub(super) counts: Counts,
}

/// Counts of events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Counts {
    pub(super) events: u64,
    /// The calls that reached a tool, with those that failed.
    pub(super) calls: u64,
    pub(super) failed: u64,
    /// The calls and requests that were refused.
    pub(super) refused: u64,
    /// The time within which half of the calls ended, in milliseconds.
    pub(super) p50_ms: Option<f64>,
    /// The time within which 95 of 100 calls ended, in milliseconds.
    pub(super) p95_ms: Option<f64>,
    /// The tokens of the results.
    pub(super) tokens: Option<u64>,
}

impl Counts {
    /// Returns the calls that ended well.
    pub(super) const fn succeeded(&self) -> u64 {
        self.calls.saturating_sub(self.failed)
    }

    /// Returns the calls with those that were refused.
    pub(super) const fn all_calls(&self) -> u64 {
        self.calls.saturating_add(self.refused)
    }
}
