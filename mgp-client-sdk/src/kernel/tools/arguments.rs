//! Checks arguments against the input schemas of tools.

use super::ToolEntry;
use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    json_schema::CompiledSchema,
    rpc::ErrorObject,
};
use serde_json::Value;
use std::sync::OnceLock;

/// The input schema of a tool, compiled when it is first needed; `None` if arguments cannot be checked against it.
#[derive(Debug, Default)]
pub(crate) struct ArgumentSchema(OnceLock<Option<CompiledSchema>>);

impl ToolEntry {
    /// Checks the arguments of a call against the tool's input schema; absent ones and `null` count as `{}`. A schema that cannot be checked against
    /// accepts everything.
    ///
    /// # Errors
    /// 4000, with the place, the value and what was expected.
    pub(crate) fn check_arguments(&self, arguments: Option<&RawJson>) -> Result<(), ErrorObject> {
        check_object(arguments)?;
        let none = RawJson::empty_object();
        let arguments = arguments.filter(|arguments| !arguments.is_null()).unwrap_or(&none);
        let Some(schema) = self.schema.0.get_or_init(|| compile(self)) else { return Ok(()) };
        schema.check(arguments).map_err(|mismatch| invalid(&mismatch.to_string(), mismatch.place()))
    }
}

/// Checks that the arguments of a call are an object, if there are any. Hosts that have none write `null` as well.
///
/// # Errors
/// 4000.
pub(crate) fn check_object(arguments: Option<&RawJson>) -> Result<(), ErrorObject> {
    let Some(arguments) = arguments.filter(|arguments| !arguments.is_object() && !arguments.is_null()) else {
        return Ok(());
    };
    let found = arguments.kind_without_text();
    let advice = arguments.to_text().filter(|text| text.trim_start().starts_with('{'));
    let advice = advice.map_or("", |_| "; send the object itself in place of its text");
    Err(invalid(&format!("expected an object, found {found}{advice}"), None))
}

fn compile(entry: &ToolEntry) -> Option<CompiledSchema> {
    let schema = RawObject::from_json(&entry.definition).ok()?.decode::<Value>("inputSchema").ok()??;
    match CompiledSchema::compile(&schema) {
        Ok(compiled) => Some(compiled),
        Err(error) => {
            tracing::warn!(tool = %entry.id, %error, "arguments are not checked against an input schema");
            None
        }
    }
}

fn invalid(problem: &str, place: Option<&str>) -> ErrorObject {
    let error = ErrorCode::InvalidToolArgs.error(format!("invalid arguments: {problem}"));
    let Some(place) = place else { return error };
    let data = error.data.as_ref().and_then(|data| RawObject::from_json(data).ok());
    let mut data = data.unwrap_or_default();
    data.insert("field", RawJson::string(place));
    error.with_data(data.to_json())
}
