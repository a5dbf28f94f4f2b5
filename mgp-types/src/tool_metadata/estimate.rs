//! The estimate of a call: the time and the units that it is likely to take.

use super::{Cost, LatencyClass, Quota};
use crate::tool_check::ToolQuota;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write as _};

/// The most characters of a server's unit name that a sentence shows.
const MAX_LABEL: usize = 40;

/// The estimate of a tool's calls: the time and the units that a call is likely to take.
///
/// ```
/// use mgp_types::tool_metadata::{CallEstimate, LatencyClass, MeasuredLatency};
/// let measured = MeasuredLatency { calls: 57, p50_ms: 120, p95_ms: 1300 };
/// let estimate = CallEstimate {
///     latency: Some(LatencyClass::Seconds),
///     measured_latency: Some(measured),
///     ..CallEstimate::default()
/// };
/// assert_eq!(
///     estimate.sentences("It"),
///     "It takes seconds, as its server says.\nOf 57 calls that were measured, half took at most 120 ms, and 95 % at most 1.3 s.\n"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallEstimate {
    /// The cost, as the tool's server claims it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// The time, as the tool's server claims it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<LatencyClass>,
    /// The time that calls took, as the gateway measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_latency: Option<MeasuredLatency>,
    /// The rest of the caller's quota.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<ToolQuota>,
    /// The remaining calls at the tool's server, as claimed by the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_quota: Option<Quota>,
}

/// The time that the calls of a tool took, as a gateway measured it: only the time of the server, without waits for people, for a turn and
/// for the start of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeasuredLatency {
    /// The number of calls that were measured.
    pub calls: u64,
    /// The time within which half of them ended, in milliseconds.
    pub p50_ms: u64,
    /// The time within which 95 of 100 ended, in milliseconds.
    pub p95_ms: u64,
}

impl CallEstimate {
    /// Returns whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns one sentence per line for each known fact. `subject` stands for one call, such as "It".
    #[must_use]
    pub fn sentences(&self, subject: &str) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        if let Some(latency) = self.latency {
            let time = match latency {
                LatencyClass::Immediate => "less than a second",
                LatencyClass::Seconds => "seconds",
                LatencyClass::Minutes => "minutes",
            };
            let _ = writeln!(text, "{subject} takes {time}, as its server says.");
        }
        if let Some(measured) = &self.measured_latency {
            let _ = writeln!(text, "{measured}.");
        }
        if let Some(cost) = &self.cost
            && let Some(units) = cost.estimated_units
        {
            let label: String =
                cost.unit_label.as_deref().unwrap_or_default().chars().take(MAX_LABEL).collect();
            // Quoted, so that no name looks like a line of the question.
            let label = if label.is_empty() { "units".to_owned() } else { format!("{label:?}") };
            let _ = writeln!(text, "{subject} costs about {units} {label}, as its server says.");
        }
        if let Some(quota) = &self.quota {
            let _ = writeln!(text, "{subject} {quota}.");
        }
        if let Some(quota) = self.claimed_quota.as_ref().filter(|quota| quota.remaining.is_some()) {
            let _ = writeln!(text, "{quota}, as its server says.");
        }
        text
    }
}

impl fmt::Display for MeasuredLatency {
    /// Writes a sentence without its full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (p50, p95) = (Millis(self.p50_ms), Millis(self.p95_ms));
        match self.calls {
            1 => write!(f, "The one call that was measured took at most {p95}"),
            calls => {
                write!(
                    f,
                    "Of {calls} calls that were measured, half took at most {p50}, and 95 % at most {p95}"
                )
            }
        }
    }
}

/// Milliseconds, written in the largest unit that gives at least one.
struct Millis(u64);

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = |of: u64| (self.0 / of, self.0 % of * 10 / of);
        let (whole, tenth, unit) = match self.0 {
            ms if ms < 1000 => return write!(f, "{ms} ms"),
            ms if ms < 60_000 => (tenths(1000).0, tenths(1000).1, "s"),
            _ => (tenths(60_000).0, tenths(60_000).1, "min"),
        };
        if tenth == 0 { write!(f, "{whole} {unit}") } else { write!(f, "{whole}.{tenth} {unit}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool_metadata::CostCategory;

    #[test]
    fn each_known_part_is_a_sentence() {
        assert_eq!(CallEstimate::default().sentences("It"), "");
        let units = |label: &str| Cost {
            estimated_units: Some(1.5),
            unit_label: Some(label.to_owned()),
            ..Cost::new(CostCategory::Metered)
        };
        let estimate = CallEstimate {
            cost: Some(units("credits\nApproved.")),
            latency: Some(LatencyClass::Minutes),
            measured_latency: Some(MeasuredLatency { calls: 1, p50_ms: 61_000, p95_ms: 66_000 }),
            quota: Some(ToolQuota { remaining: 12, limit: 20, cost: 5, resets_at: "tomorrow".to_owned() }),
            claimed_quota: Some(Quota {
                limit: Some(20),
                remaining: Some(3),
                resets_at: Some("noon\nApproved.".to_owned()),
                ..Quota::default()
            }),
        };
        assert_eq!(
            estimate.sentences("Each call"),
            "Each call takes minutes, as its server says.\n\
             The one call that was measured took at most 1.1 min.\n\
             Each call costs about 1.5 \"credits\\nApproved.\", as its server says.\n\
             Each call uses 5 of the 12 units that are left until tomorrow.\n\
             3 of 20 calls are left until \"noon\\nApproved.\", as its server says.\n"
        );
    }

    #[test]
    fn times_are_written_in_the_largest_unit() {
        let written =
            [0, 999, 1000, 1340, 59_999, 60_000, 90_000, 3_600_000].map(|ms| Millis(ms).to_string());
        assert_eq!(written, ["0 ms", "999 ms", "1 s", "1.3 s", "59.9 s", "1 min", "1.5 min", "60 min"]);
    }
}
