//! §16.6 `mgp/tools/request`.

use super::{ToolCreation, ToolIndexNotes};
use crate::{
    context::RiskLevel,
    intent::Intent,
    json::{RawJson, RawObject},
    rpc::ErrorObject,
    tool_metadata::CallEstimate,
    tool_security::SecurityMetadata,
};
use serde::{Deserialize, Serialize};

calls! {
    /// Asks for tools with some capabilities.
    call RequestTools = "mgp/tools/request": RequestToolsParams => RequestToolsResult;
}

/// The capabilities that are missing, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestToolsParams {
    /// The reason, such as `capability_gap`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The current task, in plain words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The capabilities that the tools must have.
    pub requirements: ToolRequirements,
    /// The trace of the task that the request belongs to (§6.5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_trace_id: Option<String>,
    /// The code of a tool that is created if no tool has the capabilities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation: Option<ToolCreation>,
}

impl RequestToolsParams {
    /// Uses the [intent](Intent) of the request as its context, if it has no context. `params` are the whole params of the request.
    ///
    /// # Errors
    /// Those of [`Intent::of_params`].
    pub fn or_intent(mut self, params: &RawObject) -> Result<Self, ErrorObject> {
        if self.context.is_none() {
            self.context = Intent::of_params(params)?.map(|intent| intent.as_str().to_owned());
        }
        Ok(self)
    }
}

/// The capabilities that the tools must have.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolRequirements {
    /// The names of the capabilities.
    pub capabilities: Vec<String>,
    /// The types of the tools' input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_types: Option<Vec<String>>,
    /// The types of the tools' output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_types: Option<Vec<String>>,
    /// The highest risk that the tools should have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preferred_risk_level: Option<RiskLevel>,
}

spelled! {
    /// The outcome of a request for tools (§16.6).
    pub enum RequestStatus as "request status" {
        /// Every capability has a tool.
        Fulfilled = "fulfilled",
        /// Some capabilities have a tool.
        Partial = "partial",
        /// No capability has a tool.
        Unavailable = "unavailable",
        /// There are tools, but a permission must be approved first.
        PendingApproval = "pending_approval",
        /// No tool has the capabilities, and the agent may submit the code of one.
        Creating = "creating",
    }
}

/// The outcome of a request for tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestToolsResult {
    /// The outcome.
    pub status: RequestStatus,
    /// The tools that the session has now.
    pub tools_loaded: Vec<LoadedTool>,
    /// The capabilities that no tool has.
    #[serde(default)]
    pub tools_unavailable: Vec<String>,
    /// The number of tools that the session has.
    pub session_tools_count: u64,
    /// The size of the new tools' definitions, in tokens.
    pub context_tokens_added: u64,
    /// Servers of registries that may have the capabilities that no tool has. They are not reviewed: an operator decides whether to configure
    /// one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recommendations: Vec<ServerRecommendation>,
    /// MGP's notes on the answer.
    #[serde(rename = "_mgp", default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<ToolIndexNotes>,
}

spelled! {
    /// The confidence of a recommendation.
    pub enum MatchConfidence as "match confidence" {
        /// The name of the server matches the whole request.
        High = "high",
        /// The description matches it.
        Medium = "medium",
        /// The server should no longer be used.
        Low = "low",
    }
}

/// A server of a registry that may have a capability.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServerRecommendation {
    /// The capability, as it was requested.
    pub capability: String,
    /// The name of the server in the registry.
    pub server_name: String,
    /// The address of the registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry_url: Option<String>,
    /// The way in which the server authenticates its users, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth_flow: Option<String>,
    /// The confidence that the server has the capability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_confidence: Option<MatchConfidence>,
}

/// A tool that the session has now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadedTool {
    /// The name by which to call the tool.
    pub name: String,
    /// The tool's server.
    pub server_id: String,
    /// A description of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the tool's arguments.
    #[serde(rename = "inputSchema")]
    pub input_schema: RawJson,
    /// JSON Schema of the tool's structured result.
    #[serde(rename = "outputSchema", default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<RawJson>,
    /// The server's hints about the tool's effects. Not to be trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<RawObject>,
    /// The tool's risks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<SecurityMetadata>,
    /// Metadata of MCP and its extensions about the tool.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
    /// The time and the units that a call is likely to take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<CallEstimate>,
}
