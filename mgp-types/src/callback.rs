//! §13.4 Callbacks: a server asks while a tool runs.

use crate::{json::RawJson, rpc::RequestId};
use serde::{Deserialize, Serialize};

notices! {
    /// A server asks something while a tool runs.
    CallbackRequest = "notifications/mgp.callback.request": CallbackRequestParams;
}

calls! {
    /// The answer to what a server asked.
    call RespondCallback = "mgp/callback/respond": CallbackRespondParams => CallbackRespondResult;
}

spelled! {
    /// What kind of answer a server wants (§13.4).
    pub enum CallbackType as "callback type" {
        /// Yes or no.
        Confirmation = "confirmation",
        /// Something the user types.
        Input = "input",
        /// One of the options.
        Selection = "selection",
        /// None.
        Notification = "notification",
    }
}

/// What a server asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallbackRequestParams {
    /// What the answer will carry. Unique for one server.
    pub callback_id: String,
    /// The request that the tool runs for, as its sender wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
    /// What kind of answer is wanted.
    #[serde(rename = "type")]
    pub kind: CallbackType,
    /// The question.
    pub message: String,
    /// The answers to choose from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<String>>,
    /// How long the server waits, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallbackRespondParams {
    /// Which question it answers.
    pub callback_id: String,
    /// The answer: any JSON, also `null`.
    pub response: RawJson,
}

/// Whether the answer came in time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallbackRespondResult {
    /// Whether it did.
    pub accepted: bool,
    /// Why it was not taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
