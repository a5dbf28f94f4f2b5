//! The hash of a tool's definition.

use crate::canonical;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::Tool,
};
use std::fmt;

/// SHA-256 over a tool's name, description, schemas and annotations: an approval holds for the definition that was approved.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DefinitionHash([u8; 32]);

impl DefinitionHash {
    /// Hashes a definition. The order of members and the white space of its text do not count.
    #[must_use]
    pub fn of(tool: &Tool) -> Self {
        let mut definition = RawObject::new();
        definition.insert("name", RawJson::string(tool.name.as_str()));
        if let Some(description) = &tool.description {
            definition.insert("description", RawJson::string(description.as_str()));
        }
        for (key, schema) in [("inputSchema", &tool.input_schema), ("outputSchema", &tool.output_schema)] {
            if let Some(schema) = schema {
                definition.insert(key, schema.clone());
            }
        }
        // Hints are booleans and a text, which are always JSON.
        if let Some(hints) = tool.annotations.as_ref().and_then(|hints| RawJson::from_value(hints).ok()) {
            definition.insert("annotations", hints);
        }
        Self(canonical::digest(&definition.to_json()))
    }
}

impl fmt::Display for DefinitionHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&canonical::hex(&self.0))
    }
}

impl fmt::Debug for DefinitionHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_a_definition_counts_and_its_spelling_does_not() {
        let hash =
            |text: &str| DefinitionHash::of(&RawJson::parse(text.to_owned()).unwrap().decode().unwrap());
        let one = r#"{"name":"t","description":"d","inputSchema":{"type":"object","x":1},"outputSchema":{},"annotations":{"readOnlyHint":true}}"#;
        let same = r#"{"description":"d","name":"t","outputSchema":{},"annotations":{"readOnlyHint":true},"inputSchema":{ "x":1, "type":"object"}}"#;
        assert_eq!(hash(one), hash(same));
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
}
