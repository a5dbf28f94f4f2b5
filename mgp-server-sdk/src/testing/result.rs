//! The results of tools, read as Rust types.

use super::TestError;
use mgp_types::{
    mcp::{CallToolResult, ContentBlock},
    tool_result::ResultStatus,
};
use serde::de::{DeserializeOwned, IntoDeserializer, value};

/// Reads the result of a tool: its structured content, otherwise its text, as a string or as JSON. A tool without content is `()`.
///
/// # Errors
/// Returns [`TestError::Tool`] if the tool failed, or [`TestError::Result`] if the result has another type.
pub(super) fn read<T: DeserializeOwned>(result: &CallToolResult) -> Result<T, TestError> {
    if result.status() == ResultStatus::Failure {
        return Err(TestError::Tool(Box::new(result.clone())));
    }
    let content = result.data_content();
    let text = content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n");
    if let Some(json) = &result.structured_content {
        return json.decode().map_err(|error| other(json.as_str(), &error));
    }
    let json = if content.is_empty() { "null" } else { &text };
    let as_string = T::deserialize(IntoDeserializer::<value::Error>::into_deserializer(text.as_str()));
    as_string.or_else(|_| serde_json::from_str(json)).map_err(|error| other(json, &error))
}

pub(super) fn other(result: &str, problem: &dyn std::fmt::Display) -> TestError {
    TestError::Result { result: result.to_owned(), problem: problem.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::json::RawJson;

    #[test]
    fn a_result_is_read_as_structured_content_then_string_then_json() {
        let of = CallToolResult::text;
        assert_eq!(read::<String>(&of("3")).unwrap(), "3");
        assert_eq!(read::<f64>(&of("3")).unwrap(), 3.0);
        assert_eq!(read::<Vec<i64>>(&of("[1,2]")).unwrap(), [1, 2]);
        assert!(matches!(read(&CallToolResult::new(Vec::new())), Ok(())));
        let mut structured = of("[1]");
        structured.structured_content = Some(RawJson::parse(r#"{"a":1}"#).unwrap());
        assert_eq!(read::<serde_json::Value>(&structured).unwrap()["a"], 1);
        let error = read::<f64>(&of("three")).unwrap_err();
        assert_eq!(error.to_string(), "unexpected result \"three\": expected ident at line 1 column 2");
        assert_eq!(read::<String>(&CallToolResult::error("no")).unwrap_err().to_string(), "no");
    }
}
