//! `notifications/progress`.

use crate::{json::RawObject, rpc::RequestId};
use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::fmt;

notices! {
    /// How far a request has come.
    Progress = "notifications/progress": ProgressParams;
}

/// What the asker gave its request, so that progress can name it: a string or a number.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProgressToken(pub RequestId);

impl<T: Into<RequestId>> From<T> for ProgressToken {
    fn from(token: T) -> Self {
        Self(token.into())
    }
}

impl fmt::Display for ProgressToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How far a request has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressParams {
    /// Which request.
    pub progress_token: ProgressToken,
    /// How far; grows with each notification.
    pub progress: Number,
    /// How far it will go, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Number>,
    /// What is being done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What MCP and its extensions say about the message.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}
