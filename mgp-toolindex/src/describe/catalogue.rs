//! The catalogue of tools: definitions as listed, with tags, versions and the time of its creation.

use super::ToolDescription;
use mgp_types::json::RawJson;
use serde_json::{Map, Value, json};

/// The version of the catalogue's form.
const FORM: &str = "1.0.0";

/// Returns the catalogue of tools: `{tools, version, generated_at}`. The time stamp is RFC 3339.
#[must_use]
pub fn catalogue(tools: &[ToolDescription], generated_at: &str) -> Value {
    let tools: Vec<Value> = tools.iter().map(entry).collect();
    json!({"tools": tools, "version": FORM, "generated_at": generated_at})
}

fn entry(tool: &ToolDescription) -> Value {
    let value = |(key, value): (&str, &RawJson)| Some((key.to_owned(), value.decode::<Value>().ok()?));
    let mut entry: Map<String, Value> = tool.listed.iter().filter_map(value).collect();
    entry.insert("name".into(), tool.name.clone().into());
    entry.insert("description".into(), tool.description.clone().unwrap_or_default().into());
    entry.insert("inputSchema".into(), Value::Object(tool.input.clone()));
    match &tool.output {
        Some(output) => entry.insert("outputSchema".into(), output.clone()),
        None => entry.remove("outputSchema"),
    };
    entry.insert("tags".into(), tool.tags().into());
    entry.insert("examples".into(), arguments(tool));
    entry.insert("metadata".into(), metadata(tool));
    Value::Object(entry)
}

/// Returns the arguments of the examples.
pub(super) fn arguments(tool: &ToolDescription) -> Value {
    let arguments = tool.examples().into_iter();
    arguments.filter_map(|example| example.arguments.to_json().decode::<Value>().ok()).collect()
}

/// Returns category, version, deprecation and author of a tool. A value that the server does not state is `null`.
pub(super) fn metadata(tool: &ToolDescription) -> Value {
    json!({
        "category": tool.categories.first(),
        "version": tool.metadata.version.as_ref().map(ToString::to_string),
        "deprecated": tool.deprecated,
        "author": tool.metadata.author,
    })
}
