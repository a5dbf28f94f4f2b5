//! The document.

use super::schema::{ToolSchemas, pointer_part};
use crate::kernel::tools::{DescribedTools, Tools};
use mgp_types::{
    context::Principal,
    openapi::{REST_STATUSES, RestStatus},
};
use serde_json::{Map, Value, json};

/// Returns the document for the tools that a caller may see. Takes time: examples are made of schemas, once for each tool.
pub(in crate::kernel) fn document(tools: &Tools, caller: &Principal, server_url: Option<&str>) -> Value {
    let checks = match tools.checks_arguments {
        true => "Arguments are checked against their schema before a call is made.",
        false => "Arguments are left to the tool's server to check.",
    };
    let (mut paths, mut schemas) = (Map::new(), Map::new());
    let DescribedTools { tools, mut left_out } = DescribedTools::of(tools, caller);
    for (named, entry) in &tools {
        let name = &*named.name;
        let Some(tool) = ToolSchemas::of(name, &entry.definition, || entry.example().cloned()) else {
            left_out += 1;
            continue;
        };
        paths.insert(format!("/tools/{name}"), json!({ "post": operation(name, &tool) }));
        schemas.insert(format!("{name}.input"), tool.input);
        schemas.insert(format!("{name}.output"), answer(&tool.output.unwrap_or(Value::Bool(true))));
    }
    schemas.insert("Failure".to_owned(), failure());
    schemas.insert("TurnedAway".to_owned(), turned_away());
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "MGP gateway",
            "version": env!("CARGO_PKG_VERSION"),
            "description": format!("The tools that the caller may use. The body of a request is the tool's arguments. {checks}")
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": refusals().map(response).collect::<Map<_, _>>(),
            "securitySchemes": {
                "key": { "type": "apiKey", "in": "header", "name": "X-API-Key" },
                "bearer": { "type": "http", "scheme": "bearer" }
            }
        },
        "security": [{}, { "key": [] }, { "bearer": [] }]
    });
    if let Some(url) = server_url {
        document["servers"] = json!([{ "url": url }]);
    }
    if left_out > 0 {
        document["x-left-out"] = left_out.into();
    }
    document
}

fn operation(name: &str, tool: &ToolSchemas) -> Value {
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
        "parameters": [
            { "name": "dry_run", "in": "query", "description": "Judge the call and do not make it.", "schema": { "type": "boolean", "default": false } },
            { "name": "Idempotency-Key", "in": "header", "description": "Makes the call at most once.", "schema": { "type": "string", "minLength": 1, "maxLength": 128 } }
        ],
        "requestBody": { "required": true, "content": { "application/json": body } },
        "responses": responses
    });
    if let Some(title) = &tool.title {
        operation["summary"] = title.clone().into();
    }
    if let Some(description) = &tool.description {
        operation["description"] = description.clone().into();
    }
    operation
}

fn refusals() -> impl Iterator<Item = &'static RestStatus> {
    REST_STATUSES.iter().filter(|status| status.code != 200)
}

/// Returns the answer with a status, by its name.
fn response(status: &RestStatus) -> (String, Value) {
    let failure = json!({ "$ref": "#/components/schemas/Failure" });
    let schema = match status.is_of_gate {
        true => json!({ "anyOf": [failure, { "$ref": "#/components/schemas/TurnedAway" }] }),
        false => failure,
    };
    let content = json!({ "application/json": { "schema": schema } });
    (status.code.to_string(), json!({ "description": status.meaning, "content": content }))
}

/// Returns the schema of the body of an answer with these data.
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

/// Returns the schema of an error of JSON-RPC without an id.
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
