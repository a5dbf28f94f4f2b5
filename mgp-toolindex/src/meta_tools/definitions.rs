//! The definitions of the meta-tools, for models.

use crate::categories::summary;
use mgp_types::{
    json::{RawJson, RawObject},
    tool_index::CategoryIndex,
};
use std::sync::LazyLock;

/// The definition of the tool that finds tools.
const DISCOVER: &str = r#"{
"name": "mgp_tools_discover",
"title": "Find tools",
"description": "Finds tools for a task among all tools you may use. Most of them are not in your list: whenever no listed tool fits, search here before you say that something cannot be done. Say in plain words what the tool must do, for example \"read a text file\" or \"create an issue in a repository\". Returns the best tools first, each with its name, description and the JSON Schema of its arguments (inputSchema). Call a tool that was found with mgp_tools_call. If nothing fits, try other words.",
"inputSchema": {
"type": "object",
"properties": {
"query": {"type": "string", "maxLength": 4096, "description": "What the tool must do, in plain words, or the tool's name. Empty only with strategy \"category\"."},
"max_results": {"type": "integer", "minimum": 1, "maximum": 50, "description": "How many tools to return at most; 5 if left out."},
"strategy": {"type": "string", "enum": ["keyword", "semantic", "category"], "description": "How to search. Leave it out unless you want all tools of filter.categories, or without those to see which categories there are: then say \"category\"."},
"filter": {
"type": "object",
"description": "Looks only at tools that meet all of this.",
"properties": {
"categories": {"type": "array", "items": {"type": "string"}, "description": "Filed under one of these or below it, for example \"filesystem\" or \"network/outbound\"."},
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

/// The definition of the tool that calls tools.
const CALL: &str = r#"{
"name": "mgp_tools_call",
"title": "Call a tool that was found",
"description": "Calls a tool that mgp_tools_discover found. Give the tool's name exactly as it was returned and arguments that fit its inputSchema. The result is the tool's own result. Tools in your list are called directly, not through this.",
"inputSchema": {
"type": "object",
"properties": {
"name": {"type": "string", "minLength": 1, "description": "The tool's name, as mgp_tools_discover returned it."},
"arguments": {"type": "object", "description": "The tool's arguments, as its inputSchema asks for. Leave it out for a tool without arguments."},
"intent": {"type": "string", "maxLength": 2000, "description": "What you want it for, in one sentence."},
"dry_run": {"type": "boolean", "description": "true only checks whether the call would be allowed, and who would be asked first. The tool does not run."},
"keep_result": {"type": "boolean", "description": "Keep a long result and return a reference to it."},
"refs": {"type": "object", "description": "Kept results to put into arguments, by place: {\"/data\": \"ref-1\"}; \"ref-1#/rows\" is a part."},
"idempotency_key": {"type": "string", "maxLength": 128, "description": "Your name for this one call: with the same one it is not made twice."}
},
"required": ["name"],
"additionalProperties": false
}
}"#;

/// The definition of the tool that loads tools for capabilities.
const REQUEST: &str = r#"{
"name": "mgp_tools_request",
"title": "Load tools for capabilities",
"description": "Loads tools into this session for capabilities that you lack in the middle of a task, such as \"statistics\" or \"send_email\". Returns the tools with their inputSchema; call them with mgp_tools_call, or directly where your list has them. status says how it went: fulfilled, partial, unavailable, or pending_approval (a human has to approve first; _mgp.pending_approvals says what).",
"inputSchema": {
"type": "object",
"properties": {
"requirements": {
"type": "object",
"properties": {
"capabilities": {"type": "array", "items": {"type": "string", "maxLength": 256}, "minItems": 1, "maxItems": 20, "description": "What the tools must be able to do, each in one or a few words."},
"input_types": {"type": "array", "items": {"type": "string"}, "description": "What goes in, for example \"csv\"."},
"output_types": {"type": "array", "items": {"type": "string"}, "description": "What comes out, for example \"chart\"."},
"preferred_risk_level": {"type": "string", "enum": ["safe", "moderate", "dangerous"], "description": "More dangerous tools are loaded only where nothing else serves."}
},
"required": ["capabilities"],
"additionalProperties": false
},
"context": {"type": "string", "description": "What you are doing, in plain words."},
"reason": {"type": "string", "description": "Why, for example \"capability_gap\"."},
"task_trace_id": {"type": "string", "description": "The id of the task, for the audit trail."}
},
"required": ["requirements"],
"additionalProperties": false
}
}"#;

/// The definition of the tool that lists the session's tools.
const SESSION: &str = r#"{
"name": "mgp_tools_session",
"title": "Show this session's tools",
"description": "Tells which tools this session has: pinned ones, and cached ones that it loaded or used; and how many tokens their definitions take.",
"inputSchema": {"type": "object", "properties": {}, "additionalProperties": false},
"annotations": {"readOnlyHint": true, "openWorldHint": false}
}"#;

/// The definition of the tool that removes tools from the session.
const EVICT: &str = r#"{
"name": "mgp_tools_evict",
"title": "Take tools out of this session",
"description": "Takes cached tools out of this session when you no longer need them, to free room in your context. Pinned tools stay.",
"inputSchema": {
"type": "object",
"properties": {
"tools": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 256, "description": "Their names, as mgp_tools_session returned them."},
"reason": {"type": "string", "description": "Why."}
},
"required": ["tools"],
"additionalProperties": false
},
"annotations": {"destructiveHint": false, "idempotentHint": true, "openWorldHint": false}
}"#;

/// The schema of the argument that names the session, for hosts without a session.
const HANDLE: &str = r#"{"type": "string", "description": "What the last answer said in _mgp.session. Leave it out the first time."}"#;

/// The schema of the argument with the code of a tool.
const CREATION: &str = r#"{
"type": "object",
"description": "The code of a tool for these capabilities, after status was \"creating\": one Python function with a type for each parameter. _mgp.creation of that answer says what it may import.",
"properties": {
"language": {"type": "string", "enum": ["python"]},
"code": {"type": "string"},
"function": {"type": "string", "description": "The function's name, if the code has several."},
"description": {"type": "string", "description": "What the tool does; the function's own documentation if left out."}
},
"required": ["language", "code"],
"additionalProperties": false
}"#;

/// The definition of the tool that begins and ends transactions.
const TRANSACTION: &str = r#"{
"name": "mgp_transaction",
"title": "Begin or end a transaction",
"description": "Groups calls so that they can be undone together. Begin with a transaction_id of your own, make each call through mgp_tools_call with that transaction_id, then commit; if a call fails, roll back: what the calls did is undone, the last one first, as far as their servers can. status says what became of each call.",
"inputSchema": {
"type": "object",
"properties": {
"action": {"type": "string", "enum": ["begin", "commit", "rollback", "status"]},
"transaction_id": {"type": "string", "maxLength": 128, "description": "Your name for it: letters, digits, _ - : and ."},
"timeout_seconds": {"type": "integer", "minimum": 1, "description": "For begin: it is rolled back after this time without a call; 300 if left out."},
"description": {"type": "string", "description": "For begin: what it is for."},
"reason": {"type": "string", "description": "For rollback: why."}
},
"required": ["action", "transaction_id"],
"additionalProperties": false
}
}"#;

/// The definition of the tool that reads kept results.
const READ: &str = r#"{
"name": "mgp_result_read",
"title": "Read on in a long result",
"description": "Reads a part of a result that was kept because it is long. next_offset in the answer is where the next part begins; without it, the end was read.",
"inputSchema": {
"type": "object",
"properties": {
"ref": {"type": "string", "description": "The reference, as the kept result names it."},
"offset": {"type": "integer", "minimum": 0, "description": "The first byte; 0 if left out."},
"length": {"type": "integer", "minimum": 4, "maximum": 262144, "description": "How many bytes at most."}
},
"required": ["ref"],
"additionalProperties": false
},
"annotations": {"readOnlyHint": true, "openWorldHint": false}
}"#;

/// The names of the meta-tools that every host gets, in listing order.
pub const NAMES: [&str; 5] =
    ["mgp_tools_discover", "mgp_tools_call", "mgp_tools_request", "mgp_tools_session", "mgp_tools_evict"];

/// Returns the definitions of the meta-tools, in listing order. With `handles`, each takes the session as an argument, for hosts
/// without a session.
#[must_use]
pub fn definitions(handles: bool) -> &'static [RawJson] {
    static DEFINITIONS: LazyLock<[Vec<RawJson>; 2]> = LazyLock::new(|| {
        let compact = |text: &str| text.replace('\n', "");
        // A definition that does not parse would be missing; a test counts them.
        let each = [DISCOVER, CALL, REQUEST, SESSION, EVICT];
        let plain: Vec<_> = each.iter().filter_map(|text| RawJson::parse(compact(text)).ok()).collect();
        let with_handle = plain.iter().filter_map(with_handle).collect();
        [plain, with_handle]
    });
    &DEFINITIONS[usize::from(handles)]
}

/// Adds the categories and their numbers of tools to the description of the search, for hosts that list none of the tools
/// (§16.3).
pub fn say_categories(definitions: &mut [RawJson], top: &CategoryIndex) {
    let Some(there_is) = summary(top) else { return };
    let Some(discover) = definitions.first_mut() else { return };
    let Ok(mut definition) = RawObject::from_json(discover) else { return };
    let description = definition.text("description").unwrap_or_default();
    let description = format!(
        "{description} There are tools in these categories, each with their number: {there_is}. To look through one, give strategy \
         \"category\", an empty query and the category in filter.categories."
    );
    definition.insert("description", RawJson::string(description.as_str()));
    *discover = definition.to_json();
}

/// Adds the tool that begins and ends transactions, and the arguments that make a call part of one.
pub fn say_transactions(shown: &mut Vec<RawJson>) {
    let named = |definition: &RawJson, name: &str| {
        RawObject::from_json(definition).is_ok_and(|tool| tool.text("name").as_deref() == Some(name))
    };
    let (Ok(call), Ok(transaction)) =
        (RawJson::parse(CALL.replace('\n', "")), RawJson::parse(TRANSACTION.replace('\n', "")))
    else {
        return;
    };
    // Only through that tool can a model make a call part of a transaction.
    let place = shown.iter().take(NAMES.len()).position(|tool| named(tool, "mgp_tools_call"));
    let place = place.unwrap_or_else(|| {
        shown.insert(0, call);
        0
    });
    if let Ok(mut tool) = RawObject::from_json(&shown[place]) {
        tool.edit("inputSchema", |schema| {
            schema.edit("properties", |properties| {
                for (name, text) in [
                    ("transaction_id", "The transaction that the call is part of."),
                    ("step_id", "A name for the step."),
                ] {
                    let schema = format!(r#"{{"type":"string","description":"{text}"}}"#);
                    if let Ok(schema) = RawJson::parse(schema) {
                        properties.insert(name, schema);
                    }
                }
                true
            });
            true
        });
        shown[place] = tool.to_json();
    }
    shown.insert(place + 1, transaction);
}

/// Adds the tool that reads kept results, as the first one.
pub fn say_reading(shown: &mut Vec<RawJson>) {
    // A definition that does not parse would be missing; a test looks for it.
    shown.splice(..0, RawJson::parse(READ.replace('\n', "")));
}

/// Adds the code of a tool to create to the arguments of the request for capabilities, for hosts that negotiated it (§16.6).
pub fn say_creation(definitions: &mut [RawJson]) {
    let Ok(creation) = RawJson::parse(CREATION.replace('\n', "")) else { return };
    let is_request = |tool: &RawObject| tool.text("name").as_deref() == Some("mgp_tools_request");
    for definition in definitions {
        let Some(mut tool) = RawObject::from_json(definition).ok().filter(is_request) else { continue };
        tool.edit("inputSchema", |schema| {
            schema.edit("properties", |properties| {
                properties.insert("creation", creation.clone());
                true
            });
            true
        });
        *definition = tool.to_json();
    }
}

fn with_handle(definition: &RawJson) -> Option<RawJson> {
    let handle = RawJson::parse(HANDLE).ok()?;
    let mut definition = RawObject::from_json(definition).ok()?;
    let mut schema = definition.object("inputSchema")?;
    let mut properties = schema.object("properties")?;
    properties.insert("session", handle);
    schema.insert("properties", properties.to_json());
    definition.insert("inputSchema", schema.to_json());
    Some(definition.to_json())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{Cl100k, TokenCounter};
    use mgp_types::{
        context::RiskLevel,
        lifecycle::ServerState,
        mcp::Tool,
        tool_index::{
            DiscoverFilter, DiscoverToolsParams, EvictToolsParams, MetaTool, RequestToolsParams,
            SearchStrategy, ToolCreation, ToolRequirements,
        },
    };
    use std::collections::BTreeSet;

    fn properties(schema: &serde_json::Value) -> BTreeSet<String> {
        schema["properties"].as_object().unwrap().keys().cloned().collect()
    }

    fn schema(name: MetaTool) -> serde_json::Value {
        let tools = definitions(false).iter().map(|tool| tool.decode::<Tool>().unwrap());
        let tool = tools.into_iter().find(|tool| tool.name == name.as_str()).unwrap();
        tool.input_schema.unwrap().decode().unwrap()
    }

    fn keys(value: &impl serde::Serialize) -> BTreeSet<String> {
        serde_json::to_value(value).unwrap().as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn each_meta_tool_is_defined_under_its_name() {
        for handles in [false, true] {
            let tools: Vec<Tool> = definitions(handles).iter().map(|tool| tool.decode().unwrap()).collect();
            assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), NAMES);
            assert!(tools.iter().all(|tool| tool.description.is_some()));
            for tool in &tools {
                let schema: serde_json::Value = tool.input_schema.as_ref().unwrap().decode().unwrap();
                assert_eq!(properties(&schema).contains("session"), handles, "{}", tool.name);
            }
        }
        let named: BTreeSet<&str> = MetaTool::ALL.iter().map(|tool| tool.as_str()).collect();
        let of_all: BTreeSet<&str> =
            NAMES.into_iter().chain(["mgp_transaction", "mgp_result_read"]).collect();
        assert_eq!(named, of_all);
        let mut shown = Vec::new();
        say_reading(&mut shown);
        assert_eq!(shown[0].decode::<Tool>().unwrap().name, "mgp_result_read");
        for mut shown in [definitions(true).to_vec(), Vec::new()] {
            let before = shown.len().max(1);
            say_transactions(&mut shown);
            let tools: Vec<Tool> = shown.iter().map(|tool| tool.decode().unwrap()).collect();
            assert_eq!(tools.len(), before + 1);
            let place = tools.iter().position(|tool| tool.name == "mgp_transaction").unwrap();
            let call: serde_json::Value = tools[place - 1].input_schema.as_ref().unwrap().decode().unwrap();
            assert!(properties(&call).contains("transaction_id"));
        }
    }

    #[test]
    fn the_schemas_have_the_members_of_the_params() {
        let filter = DiscoverFilter {
            categories: Some(Vec::new()),
            risk_level_max: Some(RiskLevel::Safe),
            status: Some(ServerState::Connected),
            server_id: Some(String::new()),
        };
        let discover = schema(MetaTool::Discover);
        assert_eq!(properties(&discover["properties"]["filter"]), keys(&filter));
        let params = DiscoverToolsParams {
            query: String::new(),
            strategy: Some(SearchStrategy::Keyword),
            max_results: Some(1),
            filter: Some(filter),
        };
        assert_eq!(properties(&discover), keys(&params));
        let requirements = ToolRequirements {
            capabilities: Vec::new(),
            input_types: Some(Vec::new()),
            output_types: Some(Vec::new()),
            preferred_risk_level: Some(RiskLevel::Safe),
        };
        let request = schema(MetaTool::Request);
        assert_eq!(properties(&request["properties"]["requirements"]), keys(&requirements));
        let params = RequestToolsParams {
            reason: Some(String::new()),
            context: Some(String::new()),
            requirements,
            task_trace_id: Some(String::new()),
            creation: None,
        };
        assert_eq!(properties(&request), keys(&params));
        let mut with_creation = definitions(false).to_vec();
        say_creation(&mut with_creation);
        let request: serde_json::Value = with_creation[2].decode().unwrap();
        let creation = ToolCreation {
            function: Some(String::new()),
            description: Some(String::new()),
            ..ToolCreation::default()
        };
        let params = RequestToolsParams { creation: Some(creation.clone()), ..params };
        assert_eq!(properties(&request["inputSchema"]), keys(&params));
        assert_eq!(properties(&request["inputSchema"]["properties"]["creation"]), keys(&creation));
        let params = EvictToolsParams { tools: Vec::new(), reason: Some(String::new()) };
        assert_eq!(properties(&schema(MetaTool::Evict)), keys(&params));
    }

    #[test]
    fn the_meta_tools_context_cost_is_as_documented() {
        let tokens =
            |handles| -> u64 { definitions(handles).iter().map(|tool| Cl100k.count(tool.as_str())).sum() };
        assert!(tokens(false) <= 1450 && tokens(true) <= 1550, "{} {}", tokens(false), tokens(true));
    }
}
