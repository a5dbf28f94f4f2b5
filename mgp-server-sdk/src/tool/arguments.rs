//! Checks the arguments of a call against the tool's schema.

use crate::{
    ToolError,
    schema::{CompiledSchema, SchemaError},
};
use mgp_types::json::RawJson;
use serde_json::Value;

/// The schema that the arguments of a tool's calls are checked against, if they are checked.
#[derive(Debug)]
pub(crate) struct CheckArguments(Option<CompiledSchema>);

impl CheckArguments {
    pub(super) fn new(schema: &Value, check: bool) -> Result<Self, SchemaError> {
        check.then(|| CompiledSchema::compile(schema)).transpose().map(Self)
    }

    /// Checks the arguments of a call; absent ones count as `{}`.
    pub(super) fn check(&self, arguments: Option<&RawJson>) -> Result<(), ToolError> {
        let Some(schema) = &self.0 else { return Ok(()) };
        let none = RawJson::empty_object();
        let arguments = arguments.unwrap_or(&none);
        let checked = match arguments.is_object() {
            true => schema.check(arguments).map_err(|mismatch| mismatch.to_string()),
            // No schema of arguments accepts other values, so the model need not see further errors.
            false => Err(format!("expected an object, found {}", arguments.kind())),
        };
        checked.map_err(ToolError::invalid_arguments)
    }
}
