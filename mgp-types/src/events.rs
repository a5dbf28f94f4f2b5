//! §13.2, §13.3 and §13.5: event channels, subscriptions, events.

use crate::{
    json::{RawJson, RawObject},
    mcp::LoggingLevel,
};
use serde::{Deserialize, Serialize};

calls! {
    /// Subscribes to the events of some channels.
    call SubscribeEvents = "mgp/events/subscribe": SubscribeParams => SubscribeResult;
    /// Ends a subscription.
    call UnsubscribeEvents = "mgp/events/unsubscribe": UnsubscribeParams => UnsubscribeResult;
}

notices! {
    /// Reports an event of a subscribed channel.
    Event = "notifications/mgp.event": EventParams;
}

/// The channels to subscribe to, and a filter for their events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscribeParams {
    /// The names of channels, or `prefix.*` for all channels below a prefix.
    pub channels: Vec<String>,
    /// The filter for the events of the channels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<EventFilter>,
}

/// A filter for the events of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EventFilter {
    /// The least severity that passes; an event without a severity always passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_severity: Option<LoggingLevel>,
}

impl EventFilter {
    /// Returns whether an event passes.
    #[must_use]
    pub fn passes(&self, severity: Option<LoggingLevel>) -> bool {
        match (self.min_severity, severity) {
            (Some(least), Some(severity)) => severity >= least,
            _ => true,
        }
    }
}

/// The result of a subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscribeResult {
    /// The channels that were subscribed to.
    pub subscribed: Vec<String>,
    /// The channels that do not exist.
    pub unsupported: Vec<String>,
    /// The id that the events carry.
    pub subscription_id: String,
}

/// The subscription to end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsubscribeParams {
    /// The subscription's id.
    pub subscription_id: String,
}

/// The result of ending a subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsubscribeResult {
    /// The subscription's id.
    pub subscription_id: String,
    /// True if the subscription existed and was ended.
    pub removed: bool,
}

/// An event (§13.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventParams {
    /// The id of the subscription that the event belongs to.
    pub subscription_id: String,
    /// The channel that the event comes from.
    pub channel: String,
    /// The time of the event (RFC 3339).
    pub timestamp: String,
    /// The severity of the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<LoggingLevel>,
    /// The event itself, in the server's own terms.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::json::present")]
    pub data: Option<RawJson>,
    /// The event's number in its subscription, which makes a loss detectable.
    #[serde(rename = "_mgp.seq", default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// MGP's metadata about the message; some peers put `seq` in here.
    #[serde(rename = "_mgp", default, skip_serializing_if = "Option::is_none")]
    pub mgp: Option<RawObject>,
}

impl EventParams {
    /// Returns the event's number in its subscription, wherever the sender put it.
    #[must_use]
    pub fn place(&self) -> Option<u64> {
        self.seq.or_else(|| self.mgp.as_ref()?.decode("seq").ok().flatten())
    }
}

/// Returns whether a channel matches a name in a subscription, which may be `prefix.*`.
///
/// ```
/// use mgp_types::events::matches_channel;
/// assert!(matches_channel("model.*", "model.token_usage"));
/// assert!(!matches_channel("model.*", "models.token_usage"));
/// ```
#[must_use]
pub fn matches_channel(pattern: &str, channel: &str) -> bool {
    match pattern.strip_suffix(".*") {
        Some(prefix) => channel
            .strip_prefix(prefix)
            .and_then(|rest| rest.strip_prefix('.'))
            .is_some_and(|rest| !rest.is_empty()),
        None => pattern == channel,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_takes_in_what_stands_below_its_prefix() {
        assert!(matches_channel("tool.*", "tool.a.b"));
        assert!(matches_channel("tool.done", "tool.done"));
        for (pattern, channel) in [("tool.*", "tool"), ("tool.*", "tool."), ("*", "tool"), ("tool", "tool.a")]
        {
            assert!(!matches_channel(pattern, channel), "{pattern} {channel}");
        }
    }

    #[test]
    fn the_filter_keeps_what_is_severe_enough_and_what_says_nothing() {
        let filter = EventFilter { min_severity: Some(LoggingLevel::Warning) };
        assert!(filter.passes(Some(LoggingLevel::Error)) && filter.passes(None));
        assert!(!filter.passes(Some(LoggingLevel::Info)));
    }

    #[test]
    fn the_place_is_read_in_both_forms() {
        for text in [
            r#"{"subscription_id":"s","channel":"c","timestamp":"t","data":null,"_mgp.seq":4}"#,
            r#"{"subscription_id":"s","channel":"c","timestamp":"t","_mgp":{"seq":4}}"#,
        ] {
            let event: EventParams = serde_json::from_str(text).unwrap();
            assert_eq!(event.place(), Some(4));
            assert_eq!(serde_json::to_string(&event).unwrap(), text);
        }
    }
}
