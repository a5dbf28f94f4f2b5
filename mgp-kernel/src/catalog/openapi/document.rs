//! The OpenAPI document.

use super::schema::{ToolSchemas, pointer_part};
use crate::catalog::tools::{DescribedTools, Tools};
use mgp_types::{
    context::Principal,
    openapi::{DescribeApiParams, REST_STATUSES, RestStatus},
};
use serde_json::{Map, Value, json};

/// The maximum length of a tool's summary, in characters, as OpenAPI recommends.
const SUMMARY_CHARS: usize = 120;

/// Returns the document for the tools that a caller may see. This is slow the first time, because an example is generated
/// for each tool.
pub(crate) fn document(tools: &Tools, caller: &Principal, params: &DescribeApiParams) -> Value {
    let checks = match tools.checks_arguments {
        true => "Arguments are checked against their schema before a call is made.",
        false => "Arguments are left to the tool's server to check.",
    };
    let (mut paths, mut schemas, mut servers) = (Map::new(), Map::new(), Vec::new());
    let DescribedTools { tools, mut left_out } = DescribedTools::of(tools, caller);
    for (named, entry) in &tools {
        let name = &*named.name;
        let Some(tool) = ToolSchemas::of(name, entry.shown_definition(), || entry.example().cloned()) else {
            left_out += 1;
            continue;
        };
        let server = named.tool.id().server_id.clone();
        paths.insert(format!("/tools/{name}"), json!({ "post": operation(name, &server, &tool) }));
        if !servers.contains(&server) {
            servers.push(server);
        }
        schemas.insert(format!("{name}.input"), tool.input);
        schemas.insert(format!("{name}.output"), answer(&tool.output.unwrap_or(Value::Bool(true))));
    }
    schemas.insert("Failure".to_owned(), failure());
    schemas.insert("TurnedAway".to_owned(), turned_away());
    let tags: Vec<_> = servers.iter().map(|server| json!({ "name": **server })).collect();
    let (schemes, security) = security(params);
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "MGP gateway",
            "version": env!("CARGO_PKG_VERSION"),
            "description": format!("The tools that the caller may use. The body of a request is the tool's arguments. {checks}")
        },
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": refusals().map(response).collect::<Map<_, _>>(),
            "securitySchemes": schemes
        },
        "security": security
    });
    if let Some(url) = &params.server_url {
        document["servers"] = json!([{ "url": url }]);
    }
    if left_out > 0 {
        document["x-left-out"] = left_out.into();
    }
    document
}

/// Returns the authentication schemes, and those of which a request needs one. A server that accepts neither keys nor tokens has none. If
/// that is unknown, a request may need none.
fn security(params: &DescribeApiParams) -> (Map<String, Value>, Vec<Value>) {
    let key = json!({ "type": "apiKey", "in": "header", "name": "X-API-Key" });
    let bearer = json!({ "type": "http", "scheme": "bearer" });
    let (mut schemes, mut security) = (Map::new(), Vec::new());
    if params.keys.is_none() && params.tokens.is_none() {
        security.push(json!({}));
    }
    for (name, scheme, taken) in [("key", key, params.keys), ("bearer", bearer, params.tokens)] {
        if taken != Some(false) {
            schemes.insert(name.to_owned(), scheme);
            security.push(json!({ name: [] }));
        }
    }
    (schemes, security)
}

fn operation(name: &str, server: &str, tool: &ToolSchemas) -> Value {
    let reference = |part: &str| format!("#/components/schemas/{}.{part}", pointer_part(name));
    let mut body = json!({ "schema": { "$ref": reference("input") } });
    if let Some(example) = &tool.example {
        body["example"] = example.clone();
    }
    let ran = REST_STATUSES.iter().filter(|status| status.code == 200).map(|status| {
        let content = json!({ "application/json": { "schema": { "$ref": reference("output") } } });
        (status.code.to_string(), json!({ "description": status.meaning, "content": content }))
    });
    let refused = refusals().map(|RestStatus { code, .. }| {
        (code.to_string(), json!({ "$ref": format!("#/components/responses/{code}") }))
    });
    let responses: Map<_, _> = ran.chain(refused).collect();
    let mut operation = json!({
        "operationId": name,
        "tags": [server],
        "summary": summary(name, tool),
        "parameters": [
            { "name": "dry_run", "in": "query", "description": "Judge the call and do not make it.", "schema": { "type": "boolean", "default": false } },
            { "name": "Idempotency-Key", "in": "header", "description": "Makes the call at most once.", "schema": { "type": "string", "minLength": 1, "maxLength": 128 } }
        ],
        "requestBody": { "required": true, "content": { "application/json": body } },
        "responses": responses
    });
    if let Some(title) = &tool.title {
        operation["x-title"] = title.clone().into();
    }
    if let Some(description) = &tool.description {
        operation["description"] = description.clone().into();
    }
    operation
}

/// Returns the line for a tool in the document: its title, the first sentence of its description, or its name.
fn summary(name: &str, tool: &ToolSchemas) -> String {
    let sentence = || {
        let line = tool.description.as_deref()?.trim_start().lines().next()?;
        Some(line.split_once(". ").map_or(line, |(sentence, _)| sentence).trim_end().trim_end_matches('.'))
    };
    let line = tool.title.as_deref().or_else(sentence).filter(|line| !line.is_empty()).unwrap_or(name);
    match line.char_indices().nth(SUMMARY_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn refusals() -> impl Iterator<Item = &'static RestStatus> {
    REST_STATUSES.iter().filter(|status| status.code != 200)
}

/// Returns the response with a status, by its name.
fn response(status: &RestStatus) -> (String, Value) {
    let failure = json!({ "$ref": "#/components/schemas/Failure" });
    let schema = match status.is_of_gate {
        true => json!({ "anyOf": [failure, { "$ref": "#/components/schemas/TurnedAway" }] }),
        false => failure,
    };
    let content = json!({ "application/json": { "schema": schema } });
    (status.code.to_string(), json!({ "description": status.meaning, "content": content }))
}

/// Returns the schema of the body of a response with these data.
fn answer(data: &Value) -> Value {
    json!({
        "type": "object",
        "required": ["status", "data", "error", "explanation"],
        "properties": {
            "status": { "enum": ["success", "no_change_needed", "partial_success", "failure"] },
            // A failure has no data, a dry run has the judgement on the call, and a result without structured content has its content.
            "data": { "anyOf": [
                data,
                { "type": "null" },
                { "type": "object", "required": ["allowed"] },
                { "type": "object", "required": ["content"], "properties": { "content": { "type": "array" } } }
            ] },
            "error": { "anyOf": [{ "$ref": "#/components/schemas/Failure/properties/error" }, { "type": "null" }] },
            "explanation": { "type": ["string", "null"] }
        }
    })
}

fn failure() -> Value {
    json!({
        "type": "object",
        "description": "The call was refused or failed.",
        "required": ["status", "data", "error", "explanation"],
        "properties": {
            "status": { "const": "failure" },
            "data": { "type": "null" },
            "error": {
                "type": "object",
                "required": ["error_type", "error_message"],
                "properties": {
                    "error_type": { "type": "string" },
                    "error_message": { "type": "string" },
                    "error_details": {}
                }
            },
            "explanation": { "type": ["string", "null"] }
        }
    })
}

/// Returns the schema of a JSON-RPC error without an id.
fn turned_away() -> Value {
    json!({
        "type": "object",
        "description": "The gate of the endpoint turned the request away.",
        "required": ["jsonrpc", "id", "error"],
        "properties": {
            "jsonrpc": { "const": "2.0" },
            "id": { "type": "null" },
            "error": {
                "type": "object",
                "required": ["code", "message"],
                "properties": { "code": { "type": "integer" }, "message": { "type": "string" }, "data": {} }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::json::RawJson;

    fn summary_of(definition: &Value) -> String {
        let tool = ToolSchemas::of("t", &RawJson::from_value(definition).unwrap(), || None).unwrap();
        summary("t", &tool)
    }

    #[test]
    fn a_tool_is_listed_by_its_title_its_first_sentence_or_its_name() {
        let schema = json!({"type": "object"});
        for (members, summary) in [
            (json!({"title": "Adding", "description": "Adds."}), "Adding"),
            (json!({"description": "Adds two numbers. And more."}), "Adds two numbers"),
            (json!({"description": "\n  Adds v1.2 numbers.\nMore."}), "Adds v1.2 numbers"),
            (json!({"description": " \n"}), "t"),
            (json!({}), "t"),
        ] {
            let mut definition = members;
            definition["name"] = "t".into();
            definition["inputSchema"] = schema.clone();
            assert_eq!(summary_of(&definition), summary, "{definition}");
        }
        let long = json!({"name": "t", "inputSchema": schema, "description": "ß".repeat(500)});
        assert_eq!(summary_of(&long), format!("{}…", "ß".repeat(SUMMARY_CHARS)));
    }

    #[test]
    fn a_document_names_the_authentication_of_its_server() {
        let of = |keys, tokens| {
            let (schemes, security) = security(&DescribeApiParams { server_url: None, keys, tokens });
            assert!(schemes.keys().all(|name| security.iter().any(|needs| needs.get(name).is_some())));
            Value::from(security)
        };
        assert_eq!(of(None, None), json!([{}, {"key": []}, {"bearer": []}]));
        assert_eq!(of(Some(true), Some(false)), json!([{"key": []}]));
        assert_eq!(of(Some(true), Some(true)), json!([{"key": []}, {"bearer": []}]));
        assert_eq!(of(Some(false), Some(false)), json!([]));
    }
}
