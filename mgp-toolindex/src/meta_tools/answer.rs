//! What a call of a meta-tool is answered with.

use mgp_types::{
    json::RawJson,
    mcp::{CallToolResult, ContentBlock},
    rpc::ErrorObject,
};
use serde::Serialize;

/// The answer as text for a model and as structured content for a program. What is wrong stands in it too, where a model reads it.
pub fn answer(outcome: Result<impl Serialize, ErrorObject>) -> CallToolResult {
    match outcome.and_then(|value| Ok(RawJson::from_value(&value)?)) {
        Ok(json) => CallToolResult {
            structured_content: Some(json.clone()),
            ..CallToolResult::new(vec![ContentBlock::text(json.as_str())])
        },
        Err(error) => CallToolResult::error(error.message),
    }
}
