//! `notifications/progress`.

use crate::{
    json::{RawJson, RawObject},
    request_meta::ProgressToken,
};
use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::time::Duration;

notices! {
    /// Reports the progress of a request.
    Progress = "notifications/progress": ProgressParams;
}

/// The member with the estimate of the remaining time: of MGP's own notification, and in `_mgp` of MCP's.
pub const ESTIMATED_REMAINING_MS: &str = "estimated_remaining_ms";

/// The params of MCP's notification of progress, which names the request by its token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressParams {
    /// The token of the request.
    pub progress_token: ProgressToken,
    /// The progress so far; grows with each notification.
    pub progress: Number,
    /// The progress at the end, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Number>,
    /// The current step, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Metadata of MCP and its extensions about the message.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
    /// The members of MGP, between peers that negotiated it.
    #[serde(rename = "_mgp", default, skip_serializing_if = "Option::is_none")]
    pub mgp: Option<RawObject>,
}

impl ProgressParams {
    /// Returns the estimate of the remaining time (MGP §12.6); `None` if it is missing or unreadable.
    #[must_use]
    pub fn estimated_remaining(&self) -> Option<Duration> {
        let ms = self.mgp.as_ref()?.decode(ESTIMATED_REMAINING_MS).ok().flatten()?;
        Some(Duration::from_millis(ms))
    }

    /// Sets the estimate of the remaining time, in milliseconds (MGP §12.6).
    #[must_use]
    pub fn with_estimated_remaining_ms(mut self, ms: Option<u64>) -> Self {
        if let Some(Ok(ms)) = ms.map(|ms| RawJson::from_value(&ms)) {
            self.mgp.get_or_insert_default().insert(ESTIMATED_REMAINING_MS, ms);
        }
        self
    }
}
