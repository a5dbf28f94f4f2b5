//! `notifications/cancelled`.

use crate::{json::RawObject, rpc::RequestId};
use serde::{Deserialize, Serialize};

notices! {
    /// Cancels a request whose answer the caller no longer needs.
    Cancelled = "notifications/cancelled": CancelledParams;
}

/// The request to cancel, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelledParams {
    /// The request's id, as its sender wrote it.
    pub request_id: RequestId,
    /// The reason, for a log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Metadata of MCP and its extensions about the message.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}
