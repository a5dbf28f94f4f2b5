//! §13.2, §13.3 and §13.5: event channels, subscriptions, events.

use crate::{
    json::{RawJson, RawObject},
    logging_level::LoggingLevel,
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

/// The channel of the last event of an expired subscription. Its `data` has the `reason`: the member of the params that set the time,
/// `ttl_seconds`. It cannot be subscribed to.
pub const SUBSCRIPTION_ENDED: &str = "system.subscription_ended";

/// The channels to subscribe to, and a filter for their events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SubscribeParams {
    /// The names of channels, or `prefix.*` for all channels below a prefix.
    pub channels: Vec<String>,
    /// The filter for the events of the channels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<EventFilter>,
    /// The time after which the subscription ends by itself, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_seconds: Option<u64>,
}

impl SubscribeParams {
    /// Creates params without a filter.
    #[must_use]
    pub fn new<S: Into<String>>(channels: impl IntoIterator<Item = S>) -> Self {
        let channels = channels.into_iter().map(Into::into).collect();
        Self { channels, filter: None, ttl_seconds: None }
    }
}

open_object! {
    described
    /// A filter for the events of a channel. Each further member must be in `data`, with an equal value.
    #[derive(Eq, Default)]
    pub struct EventFilter {
        /// The least severity that passes; an event without a severity always passes.
        optional min_severity: LoggingLevel = "min_severity",
        /// The ids of the servers whose events pass; an event that names no server does not.
        optional servers: Vec<String> = "servers",
    }
}

impl EventFilter {
    /// Returns whether an event passes.
    ///
    /// ```
    /// use mgp_types::{events::EventFilter, json::RawJson, mcp::LoggingLevel};
    /// let filter: EventFilter = serde_json::from_str(r#"{"min_severity": "warning", "model": "small"}"#)?;
    /// let data = RawJson::parse(r#"{"model": "small", "tokens": 7}"#)?;
    /// assert!(filter.passes(Some(LoggingLevel::Error), None, Some(&data)));
    /// assert!(!filter.passes(Some(LoggingLevel::Info), None, Some(&data)));
    /// assert!(!filter.passes(Some(LoggingLevel::Error), None, None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn passes(
        &self,
        severity: Option<LoggingLevel>,
        server_id: Option<&str>,
        data: Option<&RawJson>,
    ) -> bool {
        self.passes_severity(severity) && self.passes_server(server_id) && self.wanted_data().is_in(data)
    }

    /// Returns whether events of a severity pass.
    #[must_use]
    pub fn passes_severity(&self, severity: Option<LoggingLevel>) -> bool {
        self.min_severity.zip(severity).is_none_or(|(least, severity)| severity >= least)
    }

    /// Returns whether events of a server pass.
    #[must_use]
    pub fn passes_server(&self, server_id: Option<&str>) -> bool {
        let Some(servers) = &self.servers else { return true };
        server_id.is_some_and(|id| servers.iter().any(|server| server == id))
    }

    /// Returns the members that `data` must have, decoded once for many events.
    #[must_use]
    pub fn wanted_data(&self) -> WantedData {
        let member = |(key, value): (&str, &RawJson)| (key.to_owned(), value.clone(), value.decode().ok());
        WantedData(self.other.iter().map(member).collect())
    }
}

/// The members that the `data` of an event must have to pass a filter. See [`EventFilter::wanted_data`].
#[derive(Debug, Clone, Default)]
pub struct WantedData(Vec<(String, RawJson, Option<serde_json::Value>)>);

impl WantedData {
    /// Returns whether the data have all members, with equal values.
    #[must_use]
    pub fn is_in(&self, data: Option<&RawJson>) -> bool {
        if self.0.is_empty() {
            return true;
        }
        let Some(data) = data.and_then(|data| RawObject::from_json(data).ok()) else { return false };
        self.0.iter().all(|(key, text, value)| {
            let is_equal = |found: &RawJson| {
                found.decode().is_ok_and(|found: serde_json::Value| Some(&found) == value.as_ref())
            };
            data.get(key).is_some_and(|found| found == text || is_equal(found))
        })
    }
}

/// The result of a subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnsubscribeParams {
    /// The subscription's id.
    pub subscription_id: String,
}

/// The result of ending a subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnsubscribeResult {
    /// The subscription's id.
    pub subscription_id: String,
    /// True if the subscription existed and was ended.
    pub removed: bool,
}

/// An event (§13.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventParams {
    /// The id of the subscription that the event belongs to.
    pub subscription_id: String,
    /// The channel that the event comes from.
    pub channel: String,
    /// The server that the event comes from or, in an event of the kernel's own channels, that the event is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_id: Option<String>,
    /// The time of the event (RFC 3339).
    pub timestamp: String,
    /// The severity of the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<LoggingLevel>,
    /// The event itself, in the server's own terms.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::json::present")]
    pub data: Option<RawJson>,
    /// MGP's metadata about the message. `seq` is the event's number in its subscription, which makes a loss detectable, and `dropped` the
    /// number of events of the subscription that were lost since the last one that was sent.
    #[serde(rename = "_mgp", default, skip_serializing_if = "Option::is_none")]
    pub mgp: Option<RawObject>,
    /// The number, in the form that some peers use.
    #[serde(rename = "_mgp.seq", default, skip_serializing_if = "Option::is_none")]
    pub flat_seq: Option<u64>,
    /// The number of lost events, in the form that some peers use.
    #[serde(rename = "_mgp.dropped", default, skip_serializing_if = "Option::is_none")]
    pub flat_dropped: Option<u64>,
}

impl EventParams {
    /// Returns whether this is the last event of an expired subscription.
    #[must_use]
    pub fn is_end(&self) -> bool {
        self.channel == SUBSCRIPTION_ENDED
    }

    /// Returns MGP's metadata about an event: its number, if any, and the number of events lost before it.
    #[must_use]
    pub fn metadata(seq: Option<u64>, lost: u64) -> Option<RawObject> {
        let members = [("seq", seq), ("dropped", Some(lost).filter(|lost| *lost > 0))];
        // Numbers always serialize.
        let members =
            members.into_iter().filter_map(|(key, number)| Some((key, RawJson::from_value(&number?).ok()?)));
        Some(members.collect::<RawObject>()).filter(|members| members.iter().next().is_some())
    }

    /// Returns the event's number in its subscription, from either place.
    #[must_use]
    pub fn place(&self) -> Option<u64> {
        self.mgp.as_ref().and_then(|mgp| mgp.decode("seq").ok().flatten()).or(self.flat_seq)
    }

    /// Returns the number of events that were lost before this one, from either place.
    #[must_use]
    pub fn lost(&self) -> u64 {
        let said = self.mgp.as_ref().and_then(|mgp| mgp.decode("dropped").ok().flatten());
        said.or(self.flat_dropped).unwrap_or_default()
    }
}

/// Returns whether a channel matches a name in a subscription, which may be `prefix.*`, or `*` for every channel.
///
/// ```
/// use mgp_types::events::matches_channel;
/// assert!(matches_channel("model.*", "model.token_usage"));
/// assert!(!matches_channel("model.*", "models.token_usage"));
/// ```
#[must_use]
pub fn matches_channel(pattern: &str, channel: &str) -> bool {
    if pattern == "*" {
        return true;
    }
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
    fn a_pattern_includes_everything_below_its_prefix() {
        assert!(matches_channel("tool.*", "tool.a.b"));
        assert!(matches_channel("tool.done", "tool.done") && matches_channel("*", "tool"));
        for (pattern, channel) in
            [("tool.*", "tool"), ("tool.*", "tool."), ("*.a", "tool.a"), ("tool", "tool.a")]
        {
            assert!(!matches_channel(pattern, channel), "{pattern} {channel}");
        }
    }

    #[test]
    fn the_filter_keeps_severe_events_and_those_without_severity() {
        let filter = EventFilter { min_severity: Some(LoggingLevel::Warning), ..EventFilter::default() };
        assert!(filter.passes(Some(LoggingLevel::Error), None, None) && filter.passes(None, None, None));
        assert!(!filter.passes(Some(LoggingLevel::Info), None, None));
    }

    #[test]
    fn the_filter_keeps_events_by_server_and_equal_members() {
        let text = r#"{"servers":["a"],"n":1.0,"deep":{"x":[1],"y":2}}"#;
        let filter: EventFilter = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&filter).unwrap(), text);
        let passes =
            |server, data: &str| filter.passes(None, server, Some(&RawJson::parse(data.to_owned()).unwrap()));
        assert!(passes(Some("a"), r#"{"more":0,"n":1.0,"deep":{"y":2,"x":[1]}}"#));
        let huge: EventFilter = serde_json::from_str(r#"{"n":1e999}"#).unwrap();
        for (data, is_equal) in [(r#"{"n":1e999}"#, true), (r#"{"n":2e999}"#, false)] {
            let data = RawJson::parse(data.to_owned()).unwrap();
            assert_eq!(huge.passes(None, None, Some(&data)), is_equal, "{data:?}");
        }
        for data in [r#"{"n":1.0}"#, r#"{"n":2,"deep":{"x":[1],"y":2}}"#, "[]", "7"] {
            assert!(!passes(Some("a"), data), "{data}");
        }
        for server in [None, Some("b")] {
            assert!(!passes(server, r#"{"n":1.0,"deep":{"y":2,"x":[1]}}"#), "{server:?}");
        }
    }

    #[test]
    fn position_and_loss_are_read_in_both_forms() {
        for text in [
            r#"{"subscription_id":"s","channel":"c","timestamp":"t","data":null,"_mgp.seq":4,"_mgp.dropped":2}"#,
            r#"{"subscription_id":"s","channel":"c","timestamp":"t","_mgp":{"seq":4,"dropped":2}}"#,
        ] {
            let event: EventParams = serde_json::from_str(text).unwrap();
            assert_eq!((event.place(), event.lost()), (Some(4), 2));
            assert_eq!(serde_json::to_string(&event).unwrap(), text);
        }
    }

    #[test]
    fn a_position_is_written_in_one_member() {
        for (seq, lost, text) in [
            (Some(4), 2, r#"{"seq":4,"dropped":2}"#),
            (Some(4), 0, r#"{"seq":4}"#),
            (None, 2, r#"{"dropped":2}"#),
        ] {
            assert_eq!(EventParams::metadata(seq, lost).unwrap().to_json().as_str(), text);
        }
        assert_eq!(EventParams::metadata(None, 0), None);
    }
}
