//! Hashes the definition of a tool.

use crate::canonical;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::Tool,
    tool_security::DefinitionHash,
};

/// Hashes a tool's definition, in the serialized form of `tool`.
pub(crate) fn hash_tool(tool: &Tool) -> DefinitionHash {
    // A tool that was read from JSON can always be serialized.
    let written = RawJson::from_value(tool).unwrap_or_else(|_| RawJson::string(tool.name.as_str()));
    hash_definition(&written)
}

/// Hashes a definition as its server wrote it, including members of an unexpected form, because hosts get those too. The order of
/// members and the white space of the text make no difference.
pub(crate) fn hash_definition(definition: &RawJson) -> DefinitionHash {
    DefinitionHash::new(canonical::digest(&counted_members(definition)))
}

/// Returns the members of a definition that its hash covers. Their hash is that of the definition.
pub(crate) fn counted_members(definition: &RawJson) -> RawJson {
    let Ok(members) = RawObject::from_json(definition) else { return definition.clone() };
    let mut counted = RawObject::new();
    for key in ["name", "title", "description", "inputSchema", "outputSchema", "annotations"] {
        if let Some(value) = members.get(key) {
            counted.insert(key, value.clone());
        }
    }
    counted.to_json()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_a_definition_counts_but_not_its_spelling() {
        let hash = |text: &str| hash_tool(&RawJson::parse(text.to_owned()).unwrap().decode().unwrap());
        let one = r#"{"name":"t","description":"d","inputSchema":{"type":"object","x":1},"outputSchema":{},"annotations":{"readOnlyHint":true}}"#;
        let same = r#"{"description":"d","name":"t","outputSchema":{},"annotations":{"readOnlyHint":true},"inputSchema":{ "x":1, "type":"object"}}"#;
        assert_eq!(hash(one), hash(same));
        assert_eq!(hash(one), hash_definition(&RawJson::parse(one).unwrap()));
        // Approvals are kept under it.
        let kept = "35c5f4c93eeeb2253063920704d6c5f1c9e4d7b28bf70f76b913f2be6d5f3d7c";
        assert_eq!(hash(one).to_string(), kept);
        assert_ne!(hash(&one.replacen('{', r#"{"title":"T","#, 1)), hash(one));
        for (part, other) in [
            (r#""name":"t""#, r#""name":"u""#),
            (r#""description":"d""#, r#""description":"e""#),
            (r#""x":1"#, r#""x":2"#),
            (r#""outputSchema":{}"#, r#""outputSchema":{"a":1}"#),
            (r#""readOnlyHint":true"#, r#""readOnlyHint":false"#),
        ] {
            assert_ne!(hash(&one.replace(part, other)), hash(one), "{part}");
        }
    }
    #[test]
    fn members_that_are_forwarded_unread_count_too() {
        let hash = |text: &str| hash_definition(&RawJson::parse(text.to_owned()).unwrap());
        for (one, other) in [
            (r#"{"name":"t","description":["a"]}"#, r#"{"name":"t","description":["b"]}"#),
            (r#"{"name":"t","annotations":"a"}"#, r#"{"name":"t","annotations":"b"}"#),
            (r#"{"name":"t","annotations":{"x":"a"}}"#, r#"{"name":"t","annotations":{"x":"b"}}"#),
            (
                r#"{"name":"t","annotations":{"title":["a"]}}"#,
                r#"{"name":"t","annotations":{"title":["b"]}}"#,
            ),
        ] {
            assert_ne!(hash(one), hash(other), "{one}");
        }
    }
}
