//! An event of a channel, before it belongs to a subscription.

use mgp_types::{json::RawJson, mcp::LoggingLevel};
use std::sync::Arc;

/// An event of a channel, before it belongs to a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelEvent {
    /// The channel.
    pub channel: Arc<str>,
    /// The server that the event comes from, or is about.
    pub server_id: Option<Arc<str>>,
    /// The time of the event (RFC 3339).
    pub timestamp: String,
    /// The severity of the event.
    pub severity: Option<LoggingLevel>,
    /// The event itself.
    pub data: Option<RawJson>,
}

impl ChannelEvent {
    /// Returns the number of bytes that the event takes up.
    pub(super) fn size(&self) -> usize {
        let data = self.data.as_ref().map_or(0, |data| data.as_bytes().len());
        data + self.channel.len() + self.server_id.as_ref().map_or(0, |id| id.len()) + self.timestamp.len()
    }
}
