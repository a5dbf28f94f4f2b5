//! The signs that identify a server of the proposals.

use super::WantedConfirmation;
use crate::json::RawObject;

/// The names of the proposals' extensions.
pub const EXTENSIONS: [&str; 14] = [
    "streaming",
    "progress_notifications",
    "idempotency",
    "transactions",
    "session_state",
    "intent_hints",
    "provenance",
    "human_in_the_loop",
    "data_references",
    "subscribe_notify",
    "server_recommendations",
    "structured_errors",
    "multimodal_signatures",
    "conformance",
];

/// The members that the proposals put next to the data of an answer.
const BESIDE_DATA: [&str; 4] = ["provenance", "session_state", "idempotency", "transaction"];

/// Returns whether the capabilities of a handshake name an extension of the proposals, in a list. MCP's own `extensions` is an object.
///
/// ```
/// use mgp_types::{json::RawObject, proposals};
/// assert!(proposals::is_handshake(&RawObject::parse(r#"{"extensions":["intent_hints"]}"#)?));
/// assert!(!proposals::is_handshake(&RawObject::parse(r#"{"extensions":{"intent_hints":{}}}"#)?));
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
#[must_use]
pub fn is_handshake(capabilities: &RawObject) -> bool {
    ["extensions", "supported_extensions"].into_iter().any(|key| {
        let names: Option<Vec<String>> = capabilities.decode(key).ok().flatten();
        names.is_some_and(|names| names.iter().any(|name| EXTENSIONS.contains(&name.as_str())))
    })
}

/// Returns whether the definition of a tool is in the proposals' form: with its schema or its request for confirmations where they have it.
#[must_use]
pub fn is_definition(tool: &RawObject) -> bool {
    tool.get("input_schema").is_some_and(crate::json::RawJson::is_object)
        || tool.get("requires_confirmation").is_some_and(|value| value.decode::<bool>().is_ok())
}

/// Returns whether an answer without MCP's `content` is in the proposals' form.
#[must_use]
pub fn is_answer(answer: &RawObject) -> bool {
    let has_data = answer.get("result").is_some();
    has_data && BESIDE_DATA.iter().any(|key| answer.get(key).is_some())
        || answer.object("error").is_some_and(|error| {
            error.get("category").is_some() && error.get("code").is_some() && error.get("message").is_some()
        })
        || WantedConfirmation::of(answer).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> RawObject {
        RawObject::parse(text.to_owned()).unwrap()
    }

    #[test]
    fn a_server_is_recognized_by_handshake_tool_or_answer() {
        for (text, expected) in [
            (r#"{"tools":{},"extensions":["x","human_in_the_loop"]}"#, true),
            (r#"{"supported_extensions":["session_state"]}"#, true),
            (r#"{"extensions":["x"]}"#, false),
            (r#"{"extensions":[7]}"#, false),
            ("{}", false),
        ] {
            assert_eq!(is_handshake(&object(text)), expected, "{text}");
        }
        for (text, expected) in [
            (r#"{"name":"a","input_schema":{}}"#, true),
            (r#"{"name":"a","inputSchema":{},"requires_confirmation":false}"#, true),
            (r#"{"name":"a","inputSchema":{},"input_schema":7}"#, false),
        ] {
            assert_eq!(is_definition(&object(text)), expected, "{text}");
        }
        for (text, expected) in [
            (r#"{"result":1,"session_state":"s"}"#, true),
            (r#"{"error":{"code":"X","message":"m","category":"permanent"}}"#, true),
            (r#"{"requires_confirmation":true,"tool":"a"}"#, true),
            (r#"{"result":1}"#, false),
            (r#"{"session_state":"s"}"#, false),
            (r#"{"error":"X"}"#, false),
        ] {
            assert_eq!(is_answer(&object(text)), expected, "{text}");
        }
    }
}
