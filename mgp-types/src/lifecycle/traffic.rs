//! A kernel's report on the tool calls of the last minutes, for its operator. No part of the specification.

use serde::{Deserialize, Serialize};

/// The tool calls of the last minutes at one kernel. A call is counted when it ends.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TrafficReport {
    /// The number of minutes in which the calls were counted. The last one is still running.
    pub minutes: u64,
    /// The calls at all servers.
    #[serde(flatten)]
    pub sum: CallCounts,
    /// The number of calls that reached no server because a gate refused them, or because there is no such tool. They are not among the
    /// calls.
    pub refused: u64,
    /// The tokens of tool definitions that lists did not have, for hosts that searched instead, since the start; `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_spared: Option<u64>,
    /// The calls of each server that had some, ordered by id. Beyond a limit, servers are only part of the sum.
    pub servers: Vec<ServerTraffic>,
}

/// The tool calls of the last minutes at one server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerTraffic {
    /// The server.
    pub server_id: String,
    /// The calls.
    #[serde(flatten)]
    pub sum: CallCounts,
}

/// A number of calls, and the time that they took: from a call's arrival to its reply, with all waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CallCounts {
    /// The number of calls, also of those that failed or were cancelled.
    pub calls: u64,
    /// The number of calls whose tool reported a failure, or that had no result.
    pub errors: u64,
    /// The time within which half of the calls ended, in milliseconds; `None` if no call was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<u64>,
    /// The time within which 95 of 100 calls ended, in milliseconds; `None` if no call was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<u64>,
}

impl CallCounts {
    /// Returns the calls a minute as text, with one digit after the point if there are few.
    #[must_use]
    pub fn per_minute(&self, minutes: u64) -> String {
        let tenths = self.calls.saturating_mul(10) / minutes.max(1);
        if tenths >= 100 { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_a_digit_only_if_it_is_low() {
        let rate = |calls, minutes| CallCounts { calls, ..CallCounts::default() }.per_minute(minutes);
        assert_eq!(
            [rate(0, 5), rate(7, 5), rate(49, 5), rate(50, 5), rate(1000, 1)],
            ["0.0", "1.4", "9.8", "10", "1000"]
        );
        assert_eq!(rate(3, 0), "3.0");
    }

    #[test]
    fn the_counts_of_all_servers_are_members_of_the_report() {
        let sum = CallCounts { calls: 3, errors: 1, p50_ms: Some(4), p95_ms: None };
        let servers = vec![ServerTraffic { server_id: "notes".to_owned(), sum }];
        let report = TrafficReport { minutes: 2, sum, refused: 5, tokens_spared: None, servers };
        let json = serde_json::to_string(&report).unwrap();
        let expected = r#"{"minutes":2,"calls":3,"errors":1,"p50_ms":4,"refused":5,"servers":[{"server_id":"notes","calls":3,"errors":1,"p50_ms":4}]}"#;
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_str::<TrafficReport>(&json).unwrap(), report);
    }
}
