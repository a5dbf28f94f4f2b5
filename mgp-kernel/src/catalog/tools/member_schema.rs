//! The schemas in a tool's definition, compiled for checks.

use super::ToolEntry;
use mgp_types::{json::RawObject, json_schema::CompiledSchema};
use serde_json::Value;
use std::sync::OnceLock;

/// A schema in a tool's definition, compiled on first use: `None` if the tool has none, and the reason if the schema cannot be used.
#[derive(Debug, Default)]
pub(crate) struct MemberSchema(OnceLock<Result<Option<CompiledSchema>, String>>);

impl MemberSchema {
    /// Returns the schema in a member of a tool's definition; `None` if the tool has none.
    ///
    /// # Errors
    /// The reason why the schema cannot be used.
    pub(super) fn get(&self, tool: &ToolEntry, member: &str) -> Result<Option<&CompiledSchema>, &str> {
        let compiled = self.0.get_or_init(|| {
            read(tool, member).inspect_err(|error| {
                tracing::warn!(tool = %tool.id, %error, "values cannot be checked against the tool's {member}");
            })
        });
        compiled.as_ref().map(Option::as_ref).map_err(String::as_str)
    }
}

fn read(tool: &ToolEntry, member: &str) -> Result<Option<CompiledSchema>, String> {
    let definition = RawObject::from_json(tool.shown_definition()).map_err(|error| error.to_string())?;
    let schema = definition.decode::<Value>(member).map_err(|error| error.to_string())?;
    let schema = schema.filter(|schema| !schema.is_null());
    schema.map(|schema| CompiledSchema::compile(&schema)).transpose().map_err(|error| error.to_string())
}
