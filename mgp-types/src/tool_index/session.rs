//! §16.7 `mgp/tools/session` and `mgp/tools/session/evict`.

use super::ToolIndexNotes;
use crate::rpc::Empty;
use serde::{Deserialize, Serialize};

calls! {
    /// Asks for the tools that the session has.
    call SessionTools = "mgp/tools/session": Empty => SessionToolsResult;
    /// Removes tools from the session.
    call EvictTools = "mgp/tools/session/evict": EvictToolsParams => EvictToolsResult;
}

/// The tools that the session has, and their size.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionToolsResult {
    /// The names of the tools that are always present.
    pub pinned: Vec<String>,
    /// The names of the tools that were found and remain present.
    pub cached: Vec<String>,
    /// The size of the tools' definitions, in tokens.
    pub total_tokens: u64,
    /// The most tokens that the tools' definitions may take.
    pub max_tokens: u64,
    /// MGP's notes on the answer.
    #[serde(rename = "_mgp", default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<ToolIndexNotes>,
}

/// The tools to remove.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvictToolsParams {
    /// The names of the tools.
    pub tools: Vec<String>,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The tools that were removed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvictToolsResult {
    /// The names of the tools.
    pub evicted: Vec<String>,
    /// The size of the remaining tools' definitions, in tokens.
    pub total_tokens: u64,
    /// MGP's notes on the answer.
    #[serde(rename = "_mgp", default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<ToolIndexNotes>,
}
