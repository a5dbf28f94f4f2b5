//! The tools of an API.

use super::call::ApiCalls;
use crate::{OutputSchema, Tool, extract::RawArgs};
use mgp_openapi::Operation;
use mgp_types::json::RawJson;
use serde_json::Value;
use std::sync::Arc;

/// Creates the tool of an operation.
pub(super) fn tool(operation: Arc<Operation>, calls: Arc<ApiCalls>) -> Tool {
    let definition = operation.tool().clone();
    let value = |schema: &RawJson| schema.decode::<Value>().ok();
    let input = definition
        .input_schema
        .as_ref()
        .and_then(value)
        .unwrap_or_else(|| serde_json::json!({"type": "object"}));
    let output = definition.output_schema.as_ref().and_then(value);
    let run = move |RawArgs(arguments): RawArgs| {
        let (operation, calls) = (operation.clone(), calls.clone());
        async move { calls.call(&operation, &arguments).await }
    };
    // A document may have patterns that cannot be followed in linear time, and the request checks the kinds of arguments.
    let tool = Tool::raw("", "", input, run).defined(definition);
    match output {
        Some(schema) => tool.returns(OutputSchema { type_name: "the response of the API", schema }),
        None => tool,
    }
}
