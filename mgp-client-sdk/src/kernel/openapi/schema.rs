//! A tool's schemas as parts of a document.

use super::moved::{PlaceBytes, move_to};
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
    /// Reads the definition of a tool; `None` if it cannot be read, or would take too much memory in a document. An example is asked for only
    /// if the schema gives none.
    pub(super) fn of(
        name: &str,
        definition: &RawJson,
        example: impl FnOnce() -> Option<Value>,
    ) -> Option<Self> {
        let mut bytes = PlaceBytes::of_definition(definition.as_bytes().len());
        let mut definition = RawObject::from_json(definition).ok()?;
        let mut schema = |key: &str, place: &str| {
            let Some(mut schema) = definition.take::<Value>(key).ok().flatten() else { return Some(None) };
            move_to(&mut schema, place, &mut bytes)?;
            Some(Some(schema))
        };
        let input = schema("inputSchema", &format!("#/components/schemas/{}.input", pointer_part(name)))??;
        let place = format!("#/components/schemas/{}.output/properties/data/anyOf/0", pointer_part(name));
        let output = schema("outputSchema", &place)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_tool_s_schemas_refer_to_their_places_and_give_its_example() {
        let definition = RawJson::parse(
            r##"{"name":"t","inputSchema":{"items":{"$ref":"#"},"examples":[{"a":1}]},"outputSchema":{"items":{"$ref":"#"}}}"##,
        )
        .unwrap();
        let tool = ToolSchemas::of("a/b", &definition, || unreachable!("the schema gives one")).unwrap();
        assert_eq!(tool.input["items"]["$ref"], "#/components/schemas/a~1b.input");
        let output = tool.output.unwrap();
        assert_eq!(output["items"]["$ref"], "#/components/schemas/a~1b.output/properties/data/anyOf/0");
        assert_eq!(tool.example, Some(json!({"a": 1})));
    }
}
