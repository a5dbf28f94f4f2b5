//! An event as the page shows it.

use mgp_types::{audit::AuditEvent, json::RawObject};
use serde::Deserialize;

/// The prefix of the gateway's own types of events.
pub(super) const NAMESPACE: &str = "dev.cloto.mgp.";
/// The details that the short form leaves out.
const LEFT_OUT: [&str; 4] = ["attempts", "change_id", "duration_ms", "result_bytes"];
/// The longest detail in the short form, in characters.
const MAX_DETAIL: usize = 120;

/// The answer of `mgp audit`, the oldest event first.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Events {
    #[serde(default)]
    pub(super) events: Vec<AuditEvent>,
}

/// The parts of an event that several views show.
pub(super) trait EventParts {
    /// Returns the type without the gateway's prefix.
    fn short_type(&self) -> &str;
    fn server(&self) -> Option<&str>;
    fn tool(&self) -> Option<&str>;
    /// Returns a detail that is a text.
    fn detail(&self, name: &str) -> Option<String>;
    /// Returns a detail that is a number.
    fn number(&self, name: &str) -> Option<u64>;
    /// Returns the reason, or the other details in one line.
    fn brief(&self) -> String;
    /// Returns the place of the event among all events, for `--before`.
    fn cursor(&self) -> Option<String>;
}

impl EventParts for AuditEvent {
    fn short_type(&self) -> &str {
        let name = self.event_type.as_str();
        name.strip_prefix(NAMESPACE).unwrap_or(name)
    }

    fn server(&self) -> Option<&str> {
        self.target.get()?.server_id.get().map(String::as_str).filter(|id| !id.is_empty())
    }

    fn tool(&self) -> Option<&str> {
        self.target.get()?.tool_name.get().map(String::as_str).filter(|name| !name.is_empty())
    }

    fn detail(&self, name: &str) -> Option<String> {
        self.details.as_ref()?.text(name)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.details.as_ref()?.decode(name).ok()?
    }

    fn brief(&self) -> String {
        if let Some(reason) = self.detail("reason") {
            return reason;
        }
        let details = self.details.iter().flat_map(RawObject::iter);
        let shown = details.filter(|(name, _)| !LEFT_OUT.contains(name)).map(|(name, value)| {
            let text = value.to_text().unwrap_or_else(|| value.as_str().to_owned());
            format!("{name}={}", text.chars().take(MAX_DETAIL).collect::<String>())
        });
        shown.take(8).collect::<Vec<_>>().join(" ")
    }

    fn cursor(&self) -> Option<String> {
        let seq = self.seq()?;
        let trail = self.mgp.as_ref().and_then(|mgp| mgp.text("trail"));
        Some(trail.map_or_else(|| seq.to_string(), |trail| format!("{trail}:{seq}")))
    }
}
