//! The handle that publishes events.

use crate::ToolError;
use jiff::Timestamp;
use mgp_stream::events::{ChannelEvent, EventChannels, PublishError};
use mgp_types::{json::RawJson, mcp::LoggingLevel, rpc::ErrorObject};
use serde::Serialize;
use std::sync::Arc;

/// A handle that publishes events in the server's channels, from anywhere. Clones publish in the same channels.
///
/// ```
/// use mgp_server_sdk::{LoggingLevel, Server, Tool, ToolError, events::Events};
/// use serde_json::json;
///
/// async fn build(events: Events) -> Result<&'static str, ToolError> {
///     events.publish("build.started", &json!({"target": "docs"}))?;
///     events.publish_at(LoggingLevel::Warning, "build.finished", &json!({"warnings": 3}))?;
///     Ok("built")
/// }
///
/// let stack = Server::new("builder", "1.0.0")
///     .channel("build.started")
///     .channel("build.finished")
///     .tool(Tool::new("build", "Builds the project", build))
///     .build()?;
/// // Elsewhere in the program:
/// if let Some(events) = stack.events() {
///     events.publish("build.finished", &json!({"warnings": 0}))?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Events {
    pub(crate) channels: EventChannels,
    server_id: Arc<str>,
}

impl Events {
    pub(crate) fn new(channels: EventChannels, server_id: Arc<str>) -> Self {
        Self { channels, server_id }
    }

    /// Returns whether any client has a subscription. Without one, an event need not be created.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.channels.is_heard()
    }

    /// Publishes an event without a severity, which passes every filter of severities.
    ///
    /// # Errors
    /// Returns a [`PublishError`] if the server has no such channel, or if the data cannot be JSON or is longer than 64 KiB. If
    /// no client has a subscription, only the channel is checked.
    pub fn publish<T: Serialize + ?Sized>(&self, channel: &str, data: &T) -> Result<(), PublishError> {
        self.send(channel, None, data)
    }

    /// Publishes an event with a severity.
    ///
    /// # Errors
    /// Returns the same errors as [`publish`](Self::publish).
    pub fn publish_at<T: Serialize + ?Sized>(
        &self,
        severity: LoggingLevel,
        channel: &str,
        data: &T,
    ) -> Result<(), PublishError> {
        self.send(channel, Some(severity), data)
    }

    fn send<T: Serialize + ?Sized>(
        &self,
        channel: &str,
        severity: Option<LoggingLevel>,
        data: &T,
    ) -> Result<(), PublishError> {
        let channel = self.channels.find(channel)?;
        if !self.is_heard() {
            return Ok(());
        }
        let data = RawJson::from_value(data).map_err(|error| PublishError::Data(error.to_string()))?;
        self.channels.publish(ChannelEvent {
            channel,
            server_id: Some(self.server_id.clone()),
            timestamp: format!("{:.3}", Timestamp::now()),
            severity,
            data: Some(data),
        })
    }
}

/// The error of a call to a server that has no channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoChannels;

impl From<NoChannels> for ToolError {
    fn from(_: NoChannels) -> Self {
        Self::protocol(ErrorObject::internal("internal error: the server has no channels"))
    }
}
