//! Checks the structured content of results against the output schemas that the server has listed.

use mgp_types::{
    json::{JsonError, RawJson},
    json_schema::CompiledSchema,
    mcp::{CallToolResult, Tool},
};
use parking_lot::Mutex;
use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

/// The output schemas of the tools in the server's last list. Clones share the same schemas.
#[derive(Debug, Clone, Default)]
pub(super) struct OutputSchemas(Option<Arc<Mutex<ByTool>>>);

type ByTool = HashMap<String, Arc<Output>>;

#[derive(Debug)]
struct Output {
    schema: RawJson,
    /// The compiled schema, set by the first result; `None` if the schema cannot be used.
    compiled: OnceLock<Option<CompiledSchema>>,
}

impl OutputSchemas {
    /// Creates an empty set of schemas. Without `check`, no schemas are kept.
    pub(super) fn new(check: bool) -> Self {
        Self(check.then(Arc::default))
    }

    /// Replaces the schemas with those of a list.
    pub(super) fn set(&self, tools: &[Tool]) {
        let Some(kept) = &self.0 else { return };
        let with_schema =
            tools.iter().filter_map(|tool| Some((tool.name.clone(), tool.output_schema.clone()?)));
        let outputs = with_schema
            .map(|(name, schema)| (name, Arc::new(Output { schema, compiled: OnceLock::new() })))
            .collect();
        *kept.lock() = outputs;
    }

    /// Checks the result of a tool.
    ///
    /// # Errors
    /// [`JsonError::Missing`] if there is no structured content, and [`JsonError::Member`] if it does not match the
    /// schema.
    pub(super) fn check(&self, tool: &str, result: &CallToolResult) -> Result<(), JsonError> {
        let output = self.0.as_ref().and_then(|kept| kept.lock().get(tool).cloned());
        // The result of a failed tool has another form.
        let Some(output) = output.filter(|_| !result.failed()) else { return Ok(()) };
        let Some(content) = &result.structured_content else {
            return Err(JsonError::Missing("structuredContent"));
        };
        let Some(schema) = output.compiled.get_or_init(|| compile(tool, &output.schema)) else {
            return Ok(());
        };
        schema.check(content).map_err(|mismatch| JsonError::Member {
            key: "structuredContent".to_owned(),
            problem: mismatch.to_string(),
        })
    }
}

fn compile(tool: &str, schema: &RawJson) -> Option<CompiledSchema> {
    let read = schema.decode::<Value>().map_err(|error| error.to_string());
    match read.and_then(|schema| CompiledSchema::compile(&schema).map_err(|error| error.to_string())) {
        Ok(compiled) => Some(compiled),
        Err(error) => {
            tracing::warn!(tool, error, "results are not checked against an output schema");
            None
        }
    }
}
