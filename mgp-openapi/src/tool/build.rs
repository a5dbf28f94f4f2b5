//! Puts the parts of a tool's definition together.

use super::{
    annotations::annotations,
    description::{Notes, description, title},
    input::input,
    output::output,
};
use crate::{
    operation::{Body, DescribedBody, DescribedParameter, Method, OmissionReason, Parameter},
    schema::SchemaTable,
};
use mgp_types::{json::RawJson, mcp::Tool};
use serde_json::Value;

/// The parts of an operation that make up its tool.
pub(crate) struct ToolParts<'d> {
    pub(crate) name: String,
    pub(crate) method: Method,
    pub(crate) path: &'d str,
    pub(crate) source: &'d Value,
    pub(crate) parameters: Vec<DescribedParameter<'d>>,
    pub(crate) body: Option<DescribedBody<'d>>,
    /// The schema of the response.
    pub(crate) result: Option<&'d Value>,
}

/// A tool, and the parts of its requests with the names of their arguments.
pub(crate) struct BuiltTool {
    pub(crate) tool: Tool,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Option<Body>,
    pub(crate) wraps_result: bool,
}

/// Makes the tool of an operation.
pub(crate) fn tool<'d>(
    parts: ToolParts<'d>,
    inputs: &mut SchemaTable<'d>,
    outputs: &mut SchemaTable<'d>,
) -> Result<BuiltTool, OmissionReason> {
    let mut notes = Notes::default();
    let input = input(parts.parameters, parts.body, inputs, &mut notes)?;
    let output = output(parts.result, outputs);
    notes.output_is_simplified = output.is_simplified;
    let raw = |schema: &Value| RawJson::from_value(schema).map_err(|_| OmissionReason::SchemaTooLarge);
    let tool = Tool {
        title: title(parts.source),
        description: Some(description(parts.source, parts.method, parts.path, &notes)),
        output_schema: output.schema.as_ref().map(raw).transpose()?,
        annotations: Some(annotations(parts.method)),
        ..Tool::new(parts.name, raw(&input.schema)?)
    };
    Ok(BuiltTool { tool, parameters: input.parameters, body: input.body, wraps_result: output.is_wrapped })
}
