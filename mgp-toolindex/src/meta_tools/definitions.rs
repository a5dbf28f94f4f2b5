//! What a model is told of the meta-tools that work here.

use mgp_types::json::RawJson;
use std::sync::LazyLock;

/// How the tool that finds tools is described.
const DISCOVER: &str = r#"{
"name": "mgp_tools_discover",
"title": "Find tools",
"description": "Finds tools for a task among all tools you may use. Most of them are not in your list: whenever no listed tool fits, search here before you say that something cannot be done. Say in plain words what the tool must do, for example \"read a text file\" or \"create an issue in a repository\". Returns the best tools first, each with its name, description and the JSON Schema of its arguments (inputSchema). Call a tool that was found with mgp_tools_call. If nothing fits, try other words.",
"inputSchema": {
"type": "object",
"properties": {
"query": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "What the tool must do, in plain words, or the tool's name."},
"max_results": {"type": "integer", "minimum": 1, "maximum": 50, "description": "How many tools to return at most; 5 if left out."},
"strategy": {"type": "string", "enum": ["keyword", "semantic", "category"], "description": "How to search. Leave it out unless you want all tools of filter.categories: then say \"category\"."},
"filter": {
"type": "object",
"description": "Looks only at tools that meet all of this.",
"properties": {
"categories": {"type": "array", "items": {"type": "string"}, "description": "Filed under one of these, for example \"filesystem\" or \"network\"."},
"risk_level_max": {"type": "string", "enum": ["safe", "moderate", "dangerous"], "description": "At most this dangerous."},
"status": {"type": "string", "enum": ["connected"], "description": "\"connected\" leaves out tools of servers that are down."},
"server_id": {"type": "string", "description": "Only tools of this server."}
},
"additionalProperties": false
}
},
"required": ["query"],
"additionalProperties": false
},
"annotations": {"readOnlyHint": true, "openWorldHint": false}
}"#;

/// How the tool that calls tools is described.
const CALL: &str = r#"{
"name": "mgp_tools_call",
"title": "Call a tool that was found",
"description": "Calls a tool that mgp_tools_discover found. Give the tool's name exactly as it was returned and arguments that fit its inputSchema. The result is the tool's own result. Tools in your list are called directly, not through this.",
"inputSchema": {
"type": "object",
"properties": {
"name": {"type": "string", "minLength": 1, "description": "The tool's name, as mgp_tools_discover returned it."},
"arguments": {"type": "object", "description": "The tool's arguments, as its inputSchema asks for. Leave it out for a tool without arguments."}
},
"required": ["name"],
"additionalProperties": false
}
}"#;

/// The definitions of the meta-tools, in the order in which hosts list them.
#[must_use]
pub fn definitions() -> &'static [RawJson] {
    static DEFINITIONS: LazyLock<Vec<RawJson>> = LazyLock::new(|| {
        let compact = |text: &str| text.replace('\n', "");
        // What does not parse would be missing; a test counts them.
        [DISCOVER, CALL].iter().filter_map(|text| RawJson::parse(compact(text)).ok()).collect()
    });
    &DEFINITIONS
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::{
        mcp::Tool,
        tool_index::{DiscoverFilter, DiscoverToolsParams, MetaTool},
    };
    use std::collections::BTreeSet;

    fn properties(schema: &serde_json::Value) -> BTreeSet<String> {
        schema["properties"].as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn both_are_tools_under_the_names_of_meta_tools() {
        let tools: Vec<Tool> = definitions().iter().map(|tool| tool.decode().unwrap()).collect();
        let names: Vec<MetaTool> = tools.iter().map(|tool| tool.name.parse().unwrap()).collect();
        assert_eq!(names, [MetaTool::Discover, MetaTool::Call]);
        assert!(tools.iter().all(|tool| tool.description.is_some() && tool.input_schema.is_some()));
    }

    #[test]
    fn the_schema_of_discovery_has_the_members_of_its_params() {
        let tool: Tool = definitions()[0].decode().unwrap();
        let schema: serde_json::Value = tool.input_schema.unwrap().decode().unwrap();
        let filter = DiscoverFilter {
            categories: Some(Vec::new()),
            risk_level_max: Some(mgp_types::context::RiskLevel::Safe),
            status: Some(mgp_types::lifecycle::ServerState::Connected),
            server_id: Some(String::new()),
        };
        let params = DiscoverToolsParams {
            query: String::new(),
            strategy: Some(mgp_types::tool_index::SearchStrategy::Keyword),
            max_results: Some(1),
            filter: Some(filter),
        };
        let value = serde_json::to_value(&params).unwrap();
        let keys =
            |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(properties(&schema), keys(&value));
        assert_eq!(properties(&schema["properties"]["filter"]), keys(&value["filter"]));
    }
}
