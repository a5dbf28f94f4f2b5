//! §16.6 `mgp/tools/request`.

use super::ToolIndexNotes;
use crate::{context::RiskLevel, json::RawJson, tool_security::SecurityMetadata};
use serde::{Deserialize, Serialize};

calls! {
    /// Asks for tools with some capabilities.
    call RequestTools = "mgp/tools/request": RequestToolsParams => RequestToolsResult;
}

/// What is missing, and what for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestToolsParams {
    /// Why, such as `capability_gap`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What is being done, in plain words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// What the tools must be able to do.
    pub requirements: ToolRequirements,
    /// The task that it belongs to (§6.5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_trace_id: Option<String>,
}

/// What the tools must be able to do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolRequirements {
    /// The capabilities, each by name.
    pub capabilities: Vec<String>,
    /// What goes in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_types: Option<Vec<String>>,
    /// What comes out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_types: Option<Vec<String>>,
    /// How dangerous they should be at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preferred_risk_level: Option<RiskLevel>,
}

spelled! {
    /// What became of a request (§16.6).
    pub enum RequestStatus as "request status" {
        /// Each capability has a tool.
        Fulfilled = "fulfilled",
        /// Some have.
        Partial = "partial",
        /// None has.
        Unavailable = "unavailable",
        /// There are tools, and somebody must approve a permission.
        PendingApproval = "pending_approval",
        /// A tool is being made.
        Creating = "creating",
    }
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestToolsResult {
    /// What became of it.
    pub status: RequestStatus,
    /// The tools that the session has now.
    pub tools_loaded: Vec<LoadedTool>,
    /// The capabilities that no tool has.
    #[serde(default)]
    pub tools_unavailable: Vec<String>,
    /// How many tools the session has.
    pub session_tools_count: u64,
    /// How many tokens the new ones take.
    pub context_tokens_added: u64,
    /// What MGP says of it beside that.
    #[serde(rename = "_mgp", default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<ToolIndexNotes>,
}

/// A tool that the session has now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadedTool {
    /// The name to call it by.
    pub name: String,
    /// Its server.
    pub server_id: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of its arguments.
    #[serde(rename = "inputSchema")]
    pub input_schema: RawJson,
    /// Its risks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<SecurityMetadata>,
}
