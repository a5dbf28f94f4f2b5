//! `notifications/cancelled`.

use crate::{json::RawObject, rpc::RequestId};
use serde::{Deserialize, Serialize};

notices! {
    /// The asker does not want the answer any more.
    Cancelled = "notifications/cancelled": CancelledParams;
}

/// Which request is cancelled, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelledParams {
    /// The request's id, as its sender wrote it.
    pub request_id: RequestId,
    /// Why, for a log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What MCP and its extensions say about the message.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}
