//! The answers to calls of meta-tools.

use mgp_types::{
    json::RawJson,
    mcp::{CallToolResult, ContentBlock},
    rpc::ErrorObject,
    tool_index::MetaTool,
    tool_result::ErrorDetail,
};
use serde::Serialize;

/// Answers a call with invalid arguments: with the error, and with an example of valid arguments.
#[must_use]
pub fn wrong_arguments(tool: MetaTool, error: &ErrorObject) -> CallToolResult {
    let example = match tool {
        MetaTool::Discover => r#"{"query": "read a text file"}"#,
        MetaTool::Call => r#"{"name": "read_file", "arguments": {"path": "a.txt"}}"#,
        MetaTool::Request => r#"{"requirements": {"capabilities": ["send email"]}}"#,
        MetaTool::Session => "{}",
        MetaTool::Evict => r#"{"tools": ["read_file"]}"#,
        MetaTool::Transaction => r#"{"action": "begin", "transaction_id": "tx-1"}"#,
        MetaTool::Read => r#"{"ref": "ref-1", "offset": 16384}"#,
    };
    let text = format!("{}. Arguments that {tool} takes look like this: {example}", error.message);
    CallToolResult::text(text).with_error(ErrorDetail::from(error))
}

/// Returns an answer as text for a model and as structured content for a program. An error becomes part of the answer too, where
/// a model can read it.
pub fn answer(outcome: Result<impl Serialize, ErrorObject>) -> CallToolResult {
    match outcome.and_then(|value| Ok(RawJson::from_value(&value)?)) {
        Ok(json) => CallToolResult {
            structured_content: Some(json.clone()),
            ..CallToolResult::new(vec![ContentBlock::text(json.as_str())])
        },
        Err(error) => CallToolResult::text(&*error.message).with_error(ErrorDetail::from(&error)),
    }
}
