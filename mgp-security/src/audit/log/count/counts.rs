//! The counts.

use jiff::Timestamp;
use serde::{Serialize, Serializer};

/// Counts of the events that match a filter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditCounts {
    /// The time from which all events are counted. If there were too many to read, it is that of the oldest one that was read.
    #[serde(serialize_with = "as_text")]
    pub since: Timestamp,
    /// The time before which events are counted.
    #[serde(serialize_with = "as_text")]
    pub until: Timestamp,
    /// False if there were more events than were read.
    pub complete: bool,
    /// The number of events that were read, whether or not they match.
    pub read: u64,
    /// The length of the spans, in seconds.
    pub bucket_secs: f64,
    /// The counts of all events that match.
    pub total: EventCounts,
    /// The counts of each span of time, the oldest first, without a gap.
    pub buckets: Vec<CountedSpan>,
    /// The counts of each group, those with the most calls first.
    pub groups: Vec<CountedGroup>,
    /// The number of groups that are left out.
    pub left_out: usize,
}

/// The counts of a span of time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CountedSpan {
    /// The beginning.
    #[serde(serialize_with = "as_text")]
    pub from: Timestamp,
    /// The counts.
    #[serde(flatten)]
    pub counts: EventCounts,
}

/// The counts of an agent, a server, a tool, a type or an outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CountedGroup {
    /// The name.
    pub name: String,
    /// The server of a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_id: Option<String>,
    /// The counts.
    #[serde(flatten)]
    pub counts: EventCounts,
}

/// Counts of events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct EventCounts {
    /// All events.
    pub events: u64,
    /// The calls that reached a tool.
    pub calls: u64,
    /// Those of the calls that failed.
    pub failed: u64,
    /// The calls and requests that were refused.
    pub refused: u64,
    /// The time within which half of the calls ended, in milliseconds.
    pub p50_ms: Option<f64>,
    /// The time within which 95 of 100 calls ended, in milliseconds.
    pub p95_ms: Option<f64>,
    /// The tokens of the calls' results, estimated as one for each four bytes; `None` if no event has the size of its result.
    pub tokens: Option<u64>,
}

fn as_text<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}
