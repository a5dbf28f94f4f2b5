//! The JSON Schemas of tools.

use super::{
    ToolDescription,
    catalogue::{arguments, metadata},
};
use serde_json::{Map, Value, json};

/// Returns the schemas of tools by their names: `{NAME: {schema, output_schema?, examples, metadata}}`.
#[must_use]
pub fn schemas(tools: &[ToolDescription]) -> Value {
    let entry = |tool: &ToolDescription| {
        let mut entry =
            json!({"schema": tool.input, "examples": arguments(tool), "metadata": metadata(tool)});
        if let Some(output) = &tool.output {
            entry["output_schema"] = output.clone();
        }
        (tool.name.clone(), entry)
    };
    Value::Object(tools.iter().map(entry).collect::<Map<_, _>>())
}
