//! The document.

use super::schema::{ToolSchemas, pointer_part};
use crate::kernel::tools::{DescribedTools, Tools};
use mgp_types::context::Principal;
use serde_json::{Map, Value, json};

/// The statuses beside 200, each with its meaning.
const REFUSALS: [(&str, &str); 13] = [
    ("400", "The arguments do not fit the tool, or a validator refused them."),
    ("401", "The caller is not known."),
    ("403", "The caller may not use the tool."),
    ("404", "There is no such tool for the caller."),
    ("408", "The body did not come in time."),
    ("409", "Somebody has to approve the call first: the error's details name the question."),
    ("413", "The body is too large."),
    ("415", "The body is not of the type application/json."),
    ("429", "Too many calls: Retry-After says when to come again."),
    ("500", "The gateway failed."),
    ("502", "The tool's server failed."),
    ("503", "The tool's server cannot be reached now."),
    ("504", "The tool's server did not answer in time."),
];

/// Returns the document for the tools that a caller may see. Takes time: examples are made of schemas, once for each tool.
pub(in crate::kernel) fn document(tools: &Tools, caller: &Principal, server_url: Option<&str>) -> Value {
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
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "MGP gateway",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The tools that the caller may use. The body of a request is the tool's arguments."
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": {
                "Failure": {
                    "description": "The call was refused or failed.",
                    "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Failure" } } }
                }
            },
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
    let mut responses = Map::new();
    responses.insert(
        "200".to_owned(),
        json!({
            "description": "The tool ran. `status` says how it ended; with `dry_run`, the data are the judgement on the call.",
            "content": { "application/json": { "schema": { "$ref": reference("output") } } }
        }),
    );
    for (status, _) in REFUSALS {
        responses.insert(status.to_owned(), json!({ "$ref": "#/components/responses/Failure" }));
    }
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
    let meanings: Vec<_> = REFUSALS.iter().map(|(status, meaning)| format!("{status}: {meaning}")).collect();
    json!({
        "type": "object",
        "description": meanings.join("\n"),
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
