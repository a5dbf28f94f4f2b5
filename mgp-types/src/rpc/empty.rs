//! Params and results without members of their own.

use crate::json::RawObject;
use serde::{Deserialize, Serialize};

/// Params or a result with no members except those that MCP allows everywhere.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Empty {
    /// Metadata of MCP and its extensions about the message.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}
