//! §16.5 `mgp/tools/discover`.

use super::ToolIndexNotes;
use crate::{
    context::RiskLevel,
    json::{RawJson, RawObject},
    lifecycle::ServerState,
    tool_metadata::CallEstimate,
    tool_security::SecurityMetadata,
};
use serde::{Deserialize, Serialize};

calls! {
    /// Finds tools by their purpose.
    call DiscoverTools = "mgp/tools/discover": DiscoverToolsParams => DiscoverToolsResult;
}

spelled! {
    /// The strategy of a search (§16.4).
    pub enum SearchStrategy as "search strategy" {
        /// By words.
        Keyword = "keyword",
        /// By meaning.
        Semantic = "semantic",
        /// By category.
        Category = "category",
    }
}

/// The purpose of a tool, and options for the search.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiscoverToolsParams {
    /// The purpose that the tool must serve, in plain words.
    pub query: String,
    /// The search strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<SearchStrategy>,
    /// The most tools to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_results: Option<u32>,
    /// A filter for the tools to search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<DiscoverFilter>,
}

/// A filter for the tools to search. A tool must meet all conditions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiscoverFilter {
    /// The categories. The tool must be filed under one of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<Vec<String>>,
    /// The highest risk that the tool may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk_level_max: Option<RiskLevel>,
    /// The state that the tool's server must be in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ServerState>,
    /// The id of the server that the tool must be on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_id: Option<String>,
}

/// The tools that were found, the best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiscoverToolsResult {
    /// The tools, with everything that a call needs.
    pub tools: Vec<DiscoveredTool>,
    /// The number of tools that the caller could call.
    pub total_available: u64,
    /// The search strategy that was used.
    pub search_strategy: SearchStrategy,
    /// The duration of the search, in milliseconds.
    pub query_time_ms: u64,
    /// MGP's notes on the answer.
    #[serde(rename = "_mgp", default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<ToolIndexNotes>,
}

/// A tool that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiscoveredTool {
    /// The name by which to call the tool.
    pub name: String,
    /// The tool's server.
    pub server_id: String,
    /// A description of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The relevance of the tool; comparable within one answer.
    pub relevance_score: f64,
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

#[cfg(all(test, feature = "schema"))]
mod tests {
    use super::*;

    #[test]
    fn the_params_schema_names_every_member_and_strategy() {
        let schema = schemars::schema_for!(DiscoverToolsParams).to_value();
        let properties = schema["properties"].as_object().unwrap();
        let names: std::collections::BTreeSet<_> = properties.keys().map(String::as_str).collect();
        assert!(names.into_iter().eq(["filter", "max_results", "query", "strategy"]));
        assert_eq!(schema["required"], serde_json::json!(["query"]));
        assert_eq!(
            schema["$defs"]["SearchStrategy"]["enum"],
            serde_json::json!(["keyword", "semantic", "category"])
        );
    }
}
