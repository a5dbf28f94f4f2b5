//! Lists in pages.

use crate::json::RawObject;
use serde::{Deserialize, Serialize};

/// Where the next page of a list starts. Only who made it can read it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cursor(pub String);

/// The params of every list request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PageParams {
    /// Where to start; absent for the first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    /// What MCP and its extensions say about the message.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}

impl PageParams {
    /// The page that a cursor leads to.
    #[must_use]
    pub const fn at(cursor: Cursor) -> Self {
        Self { cursor: Some(cursor), meta: None }
    }
}
