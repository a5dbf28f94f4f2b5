//! §13.4 Callbacks: questions of a server while a tool runs.

use crate::{json::RawJson, rpc::RequestId};
use serde::{Deserialize, Serialize};

notices! {
    /// Asks a question while a tool runs.
    CallbackRequest = "notifications/mgp.callback.request": CallbackRequestParams;
}

calls! {
    /// Answers a server's question.
    call RespondCallback = "mgp/callback/respond": CallbackRespondParams => CallbackRespondResult;
}

spelled! {
    /// The kind of answer that a server expects (§13.4).
    pub enum CallbackType as "callback type" {
        /// Yes or no.
        Confirmation = "confirmation",
        /// A text that the user types.
        Input = "input",
        /// One of the options.
        Selection = "selection",
        /// No answer.
        Notification = "notification",
    }
}

/// A server's question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallbackRequestParams {
    /// The id that the answer carries. Unique within one server.
    pub callback_id: String,
    /// The request that the tool runs for, as its sender wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
    /// The kind of answer that the server expects.
    #[serde(rename = "type")]
    pub kind: CallbackType,
    /// The question.
    pub message: String,
    /// The answers to choose from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<String>>,
    /// The time that the server waits, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// The answer to a server's question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallbackRespondParams {
    /// The id of the question.
    pub callback_id: String,
    /// The answer: any JSON value, including `null`.
    pub response: RawJson,
}

/// The receipt of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallbackRespondResult {
    /// True if the answer arrived in time.
    pub accepted: bool,
    /// The reason the answer was not accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
