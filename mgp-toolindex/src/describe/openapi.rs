//! OpenAPI 3.1 of `POST /tools/{name}`.

use super::{ToolDescription, references::moved};
use serde_json::{Map, Value, json};

/// The program that an OpenAPI document is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenApiInfo {
    /// The title of the document.
    pub title: String,
    /// The version of the program.
    pub version: String,
    /// The address before `/tools`, if it is known.
    pub server_url: Option<String>,
    /// True if callers have to send a bearer token.
    pub with_token: bool,
}

/// The errors of a call: HTTP status, name of the response, and its description.
pub const OPENAPI_ERRORS: &[(&str, &str, &str)] = &[
    ("400", "ValidationError", "The arguments do not fit the tool's schema, or the request cannot be read."),
    ("401", "AuthenticationError", "The request has no valid token."),
    ("403", "PermissionError", "The caller may not make this call."),
    ("404", "NotFound", "There is no such tool."),
    ("409", "Question", "Somebody has to approve the call first. The error names what waits."),
    ("422", "ToolExecutionError", "The tool ran and failed."),
    ("429", "LimitExceeded", "A limit or a quota is used up. `Retry-After` says when to try again."),
    ("502", "ServerError", "The tool's server could not be reached, or broke off."),
    ("504", "TimeoutError", "The call took too long."),
];

/// Returns the OpenAPI document of tools: one path for each, with the schemas of its arguments and of its result.
#[must_use]
pub fn openapi(info: &OpenApiInfo, tools: &[ToolDescription]) -> Value {
    let mut schemas = Map::new();
    let mut paths = Map::new();
    schemas.insert("Error".into(), error_schema());
    for tool in tools {
        let (input, output) = (format!("{}.Input", tool.name), format!("{}.Output", tool.name));
        let data = tool.output.as_ref().map(|schema| {
            let schema = moved(schema, &format!("#/components/schemas/{output}"));
            schemas.insert(output.clone(), schema);
            json!({"$ref": format!("#/components/schemas/{output}")})
        });
        let schema = moved(&Value::Object(tool.input.clone()), &format!("#/components/schemas/{input}"));
        schemas.insert(input.clone(), schema);
        paths.insert(format!("/tools/{}", tool.name), json!({"post": operation(tool, &input, data)}));
    }
    let error = |(_, name, description): &(&str, &str, &str)| {
        let content = json!({"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}});
        ((*name).to_owned(), json!({"description": description, "content": content}))
    };
    let responses: Map<String, Value> = OPENAPI_ERRORS.iter().map(error).collect();
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {"title": info.title, "version": info.version},
        "paths": paths,
        "components": {"schemas": schemas, "responses": responses},
    });
    if let Some(url) = &info.server_url {
        document["servers"] = json!([{"url": url}]);
    }
    if info.with_token {
        document["components"]["securitySchemes"] = json!({"token": {"type": "http", "scheme": "bearer"}});
        document["security"] = json!([{"token": []}]);
    }
    document
}

fn operation(tool: &ToolDescription, input: &str, data: Option<Value>) -> Value {
    let mut responses = json!({
        "200": {"description": "The tool ran.", "content": {"application/json": {"schema": outcome_schema(data)}}},
    });
    for (status, name, _) in OPENAPI_ERRORS {
        responses[*status] = json!({"$ref": format!("#/components/responses/{name}")});
    }
    let mut content = json!({"schema": {"$ref": format!("#/components/schemas/{input}")}});
    let examples = tool.examples().into_iter().enumerate().filter_map(|(at, example)| {
        let value = example.arguments.to_json().decode::<Value>().ok()?;
        Some((format!("example{}", at + 1), json!({"value": value})))
    });
    let examples: Map<String, Value> = examples.collect();
    if !examples.is_empty() {
        content["examples"] = Value::Object(examples);
    }
    let mut operation = json!({
        "operationId": tool.name,
        "requestBody": {"required": true, "content": {"application/json": content}},
        "responses": responses,
    });
    if let Some(summary) = &tool.title {
        operation["summary"] = summary.clone().into();
    }
    if let Some(description) = &tool.description {
        operation["description"] = description.clone().into();
    }
    let tags = tool.tags();
    if !tags.is_empty() {
        operation["tags"] = tags.into();
    }
    if tool.deprecated {
        operation["deprecated"] = true.into();
    }
    operation
}

/// Returns the schema of a result: the status, and the data of a tool.
fn outcome_schema(data: Option<Value>) -> Value {
    let data = data.map_or_else(|| json!(true), |data| json!({"anyOf": [data, {"type": "null"}]}));
    json!({
        "type": "object",
        "properties": {
            "status": {"enum": ["success", "failure", "no_change_needed", "partial_success"]},
            "data": data,
            "error": {"anyOf": [{"$ref": "#/components/schemas/Error/properties/error"}, {"type": "null"}]},
            "explanation": {"type": ["string", "null"]},
        },
        "required": ["status"],
    })
}

/// Returns the schema of a result that holds an error.
fn error_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "status": {"const": "failure"},
            "data": {"type": "null"},
            "error": {
                "type": "object",
                "properties": {
                    "error_type": {"type": "string"},
                    "error_message": {"type": "string"},
                    "error_details": {"type": ["object", "string", "null"]},
                },
                "required": ["error_type", "error_message"],
            },
            "explanation": {"type": ["string", "null"]},
        },
        "required": ["status", "error"],
    })
}
