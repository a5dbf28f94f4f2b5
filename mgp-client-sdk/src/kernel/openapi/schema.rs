//! A tool's schemas as parts of a document.

use mgp_types::{json::RawJson, json::RawObject};
use serde_json::Value;

/// The parts of a tool's definition that a document shows.
pub(super) struct ToolSchemas {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) input: Value,
    pub(super) output: Option<Value>,
    /// An example of arguments, if there is one that fits.
    pub(super) example: Option<Value>,
}

impl ToolSchemas {
    /// Reads the definition of a tool; `None` if it cannot be read. An example is asked for only if the schema gives none.
    pub(super) fn of(
        name: &str,
        definition: &RawJson,
        example: impl FnOnce() -> Option<Value>,
    ) -> Option<Self> {
        let mut definition = RawObject::from_json(definition).ok()?;
        let mut schema = |key: &str, place: &str| {
            let mut schema: Value = definition.take(key).ok()??;
            // A schema of its own refers to itself by `#`, and in the document to its place there.
            point_to(&mut schema, place);
            Some(schema)
        };
        let input = schema("inputSchema", &format!("#/components/schemas/{}.input", pointer_part(name)))?;
        let place = format!("#/components/schemas/{}.output/properties/data/anyOf/0", pointer_part(name));
        let output = schema("outputSchema", &place);
        let given = input.get("examples").and_then(|examples| examples.get(0)).cloned();
        let example = given.or_else(example);
        let (title, description) = (definition.text("title"), definition.text("description"));
        Some(Self { title, description, input, output, example })
    }
}

/// Returns a name as a part of a JSON pointer in a URI fragment.
pub(super) fn pointer_part(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Rewrites the references of a schema to itself, and takes out what names it otherwise. The nesting of definitions that are listed is bounded.
fn point_to(schema: &mut Value, place: &str) {
    match schema {
        Value::Object(members) => {
            for key in ["$schema", "$id"] {
                if members.get(key).is_some_and(Value::is_string) {
                    members.remove(key);
                }
            }
            for (key, member) in members {
                match member {
                    Value::String(reference) if key == "$ref" && reference.starts_with('#') => {
                        *reference = format!("{place}{}", &reference[1..]);
                    }
                    member => point_to(member, place),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| point_to(item, place)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_within_a_schema_point_to_its_place_in_the_document() {
        let definition = RawJson::parse(
            r##"{"name":"t","inputSchema":{"$schema":"x","type":"object","properties":{"a":{"$ref":"#/$defs/A"},"$ref":{"type":"string"}},
            "$defs":{"A":{"items":[{"$ref":"#"}]}},"examples":[{"a":1}]}}"##,
        )
        .unwrap();
        let tool = ToolSchemas::of("a/b", &definition, || unreachable!("the schema gives one")).unwrap();
        assert_eq!(tool.input["properties"]["a"]["$ref"], "#/components/schemas/a~1b.input/$defs/A");
        assert_eq!(tool.input["$defs"]["A"]["items"][0]["$ref"], "#/components/schemas/a~1b.input");
        assert_eq!(tool.input["properties"]["$ref"], json!({"type": "string"}));
        assert_eq!((tool.input.get("$schema"), tool.example), (None, Some(json!({"a": 1}))));
    }
}
