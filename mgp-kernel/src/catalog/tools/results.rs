//! Checks results against the output schemas of tools, for calls that request it.

use super::ToolEntry;
use mgp_types::{
    error::{ErrorCode, Recovery},
    json::{RawJson, RawObject},
    mcp::CallToolResult,
    rpc::ErrorObject,
};

/// The member of a definition with the schema of results.
const OUTPUT_SCHEMA: &str = "outputSchema";

impl ToolEntry {
    /// Returns the reason why results cannot be checked against the tool's output schema; `None` if they can, or if the tool has no such schema.
    pub(crate) fn result_fault(&self) -> Option<&str> {
        self.result_schema.get(self, OUTPUT_SCHEMA).err()
    }

    /// Checks the result of a call against the tool's output schema. The result of a failed tool has another form, and a task has none
    /// yet.
    ///
    /// # Errors
    /// 5000, with the location, the value and the expectation, or the reason why the result cannot be checked. Its details state that the tool
    /// ran.
    pub(crate) fn check_result(&self, result: &RawJson) -> Result<(), ErrorObject> {
        if CallToolResult::says_error(result) {
            return Ok(());
        }
        let schema = match self.result_schema.get(self, OUTPUT_SCHEMA) {
            Ok(Some(schema)) => schema,
            Ok(None) => return Ok(()),
            Err(reason) => {
                let problem = format!("its result cannot be checked against its outputSchema: {reason}");
                return Err(ran(&problem, None));
            }
        };
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

fn misfit(problem: &str, place: Option<&str>) -> ErrorObject {
    ran(&format!("its result does not fit its outputSchema: {problem}"), place)
}

/// Returns the error of a call whose tool ran.
fn ran(problem: &str, place: Option<&str>) -> ErrorObject {
    let details: RawObject = [("outcome", RawJson::string("done"))].into_iter().collect();
    let advice = Recovery::of(ErrorCode::UpstreamError).with_details(details);
    let error = ErrorCode::UpstreamError.error_with(format!("the tool ran, and {problem}"), advice);
    let Some(place) = place else { return error };
    let data = error.data.as_ref().and_then(|data| RawObject::from_json(data).ok());
    let mut data = data.unwrap_or_default();
    data.insert("field", RawJson::string(place));
    error.with_data(data.to_json())
}
