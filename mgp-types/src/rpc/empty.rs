//! Params and results that say nothing.

use crate::json::RawObject;
use serde::{Deserialize, Serialize};

/// Params or a result with no members but what MCP allows everywhere.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Empty {
    /// What MCP and its extensions say about the message itself.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}
