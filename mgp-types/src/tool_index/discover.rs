//! §16.5 `mgp/tools/discover`.

use super::ToolIndexNotes;
use crate::{context::RiskLevel, json::RawJson, lifecycle::ServerState, tool_security::SecurityMetadata};
use serde::{Deserialize, Serialize};

calls! {
    /// Finds tools by what they are needed for.
    call DiscoverTools = "mgp/tools/discover": DiscoverToolsParams => DiscoverToolsResult;
}

spelled! {
    /// How to search (§16.4).
    pub enum SearchStrategy as "search strategy" {
        /// By words.
        Keyword = "keyword",
        /// By meaning.
        Semantic = "semantic",
        /// By what tools are filed under.
        Category = "category",
    }
}

/// What is needed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiscoverToolsParams {
    /// What the tool is needed for, in plain words.
    pub query: String,
    /// How to search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<SearchStrategy>,
    /// How many tools to return at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_results: Option<u32>,
    /// Which tools to look at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<DiscoverFilter>,
}

/// Which tools to look at: those that meet all of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiscoverFilter {
    /// Filed under one of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<Vec<String>>,
    /// At most this dangerous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk_level_max: Option<RiskLevel>,
    /// On a server that stands here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ServerState>,
    /// On this server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_id: Option<String>,
}

/// The tools, the best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiscoverToolsResult {
    /// The tools, with all that a call needs.
    pub tools: Vec<DiscoveredTool>,
    /// How many tools the asker could call.
    pub total_available: u64,
    /// How it was searched.
    pub search_strategy: SearchStrategy,
    /// How long it took, in milliseconds.
    pub query_time_ms: u64,
    /// What MGP says of it beside that.
    #[serde(rename = "_mgp", default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<ToolIndexNotes>,
}

/// A tool that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiscoveredTool {
    /// The name to call it by.
    pub name: String,
    /// Its server.
    pub server_id: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How well it fits; comparable within one answer.
    pub relevance_score: f64,
    /// JSON Schema of its arguments.
    #[serde(rename = "inputSchema")]
    pub input_schema: RawJson,
    /// Its risks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<SecurityMetadata>,
}

#[cfg(all(test, feature = "schema"))]
mod tests {
    use super::*;

    #[test]
    fn the_schema_of_the_params_names_every_member_and_every_strategy() {
        let schema = schemars::schema_for!(DiscoverToolsParams).to_value();
        let properties = schema["properties"].as_object().unwrap();
        assert_eq!(properties.keys().collect::<Vec<_>>(), ["filter", "max_results", "query", "strategy"]);
        assert_eq!(schema["required"], serde_json::json!(["query"]));
        assert_eq!(
            schema["$defs"]["SearchStrategy"]["enum"],
            serde_json::json!(["keyword", "semantic", "category"])
        );
    }
}
