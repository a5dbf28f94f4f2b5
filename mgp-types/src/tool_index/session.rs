//! §16.7 `mgp/tools/session` and `mgp/tools/session/evict`.

use super::ToolIndexNotes;
use crate::rpc::Empty;
use serde::{Deserialize, Serialize};

calls! {
    /// Asks which tools the session has.
    call SessionTools = "mgp/tools/session": Empty => SessionToolsResult;
    /// Takes tools out of the session.
    call EvictTools = "mgp/tools/session/evict": EvictToolsParams => EvictToolsResult;
}

/// The tools that the session has, and what they take.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionToolsResult {
    /// Always there.
    pub pinned: Vec<String>,
    /// There since they were found.
    pub cached: Vec<String>,
    /// What they take, in tokens.
    pub total_tokens: u64,
    /// What they may take, in tokens.
    pub max_tokens: u64,
    /// What MGP says of it beside that.
    #[serde(rename = "_mgp", default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<ToolIndexNotes>,
}

/// The tools to take out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvictToolsParams {
    /// Their names.
    pub tools: Vec<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The tools that were taken out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EvictToolsResult {
    /// Their names.
    pub evicted: Vec<String>,
    /// What the rest takes, in tokens.
    pub total_tokens: u64,
    /// What MGP says of it beside that.
    #[serde(rename = "_mgp", default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<ToolIndexNotes>,
}
