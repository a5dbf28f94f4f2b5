//! Checks results against the output schemas of tools, for calls that ask for it.

use super::ToolEntry;
use mgp_types::{
    error::{ErrorCode, Recovery},
    json::{RawJson, RawObject},
    json_schema::CompiledSchema,
    mcp::CallToolResult,
    rpc::ErrorObject,
};
use serde_json::Value;
use std::sync::OnceLock;

/// The output schema of a tool, compiled when it is first needed; `None` if there is none, or if results cannot be checked against it.
#[derive(Debug, Default)]
pub(crate) struct ResultSchema(OnceLock<Option<CompiledSchema>>);

impl ToolEntry {
    /// Checks the result of a call against the tool's output schema. The result of a tool that failed has another form, and a task has
    /// none yet. A schema that cannot be checked against accepts everything.
    ///
    /// # Errors
    /// 5000, with the place, the value and what was expected. Its details say that the tool ran.
    pub(crate) fn check_result(&self, result: &RawJson) -> Result<(), ErrorObject> {
        let Some(schema) = self.result_schema.0.get_or_init(|| compile(self)) else { return Ok(()) };
        if CallToolResult::says_error(result) {
            return Ok(());
        }
        let object = RawObject::from_json(result).map_err(|error| misfit(&error.to_string(), None))?;
        match object.get("structuredContent") {
            Some(structured) => schema
                .check(structured)
                .map_err(|mismatch| misfit(&format!("structuredContent: {mismatch}"), mismatch.place())),
            None if object.get("content").is_some() => Err(misfit("missing structuredContent", None)),
            None => Ok(()),
        }
    }
}

fn compile(entry: &ToolEntry) -> Option<CompiledSchema> {
    let schema = RawObject::from_json(&entry.definition).ok()?.decode::<Value>("outputSchema").ok()??;
    if schema.is_null() {
        return None;
    }
    match CompiledSchema::compile(&schema) {
        Ok(compiled) => Some(compiled),
        Err(error) => {
            tracing::warn!(tool = %entry.id, %error, "results are not checked against an output schema");
            None
        }
    }
}

fn misfit(problem: &str, place: Option<&str>) -> ErrorObject {
    let details: RawObject = [("outcome", RawJson::string("done"))].into_iter().collect();
    let advice = Recovery::of(ErrorCode::UpstreamError).with_details(details);
    let message = format!("the tool ran, and its result does not fit its outputSchema: {problem}");
    let error = ErrorCode::UpstreamError.error_with(message, advice);
    let Some(place) = place else { return error };
    let data = error.data.as_ref().and_then(|data| RawObject::from_json(data).ok());
    let mut data = data.unwrap_or_default();
    data.insert("field", RawJson::string(place));
    error.with_data(data.to_json())
}
