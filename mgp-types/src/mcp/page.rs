//! Lists in pages.

use crate::json::RawObject;
use serde::{Deserialize, Serialize};

/// The start of the next page of a list. Only the server that made the cursor can read it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cursor(pub String);

/// The params of every list request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PageParams {
    /// The page to start at; the first page if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    /// Metadata of MCP and its extensions about the message.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}

impl PageParams {
    /// Creates params for the page that a cursor leads to.
    #[must_use]
    pub const fn at(cursor: Cursor) -> Self {
        Self { cursor: Some(cursor), meta: None }
    }
}
