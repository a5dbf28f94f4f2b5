//! A tool's schemas as parts of a document.

use super::{
    dialect,
    moved::{PlaceBytes, move_to},
};
use mgp_types::{json::RawJson, json::RawObject};
use serde_json::{Value, json};

/// The parts of a tool's definition that a document contains.
pub(super) struct ToolSchemas {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) input: Value,
    pub(super) output: Option<Value>,
    /// An example of valid arguments, if there is one.
    pub(super) example: Option<Value>,
}

impl ToolSchemas {
    /// Parses the definition of a tool; `None` if this fails, or would take too much memory in a document. An example is generated only if
    /// the schema contains none. A schema that violates its dialect is replaced with one that accepts anything.
    pub(super) fn of(
        name: &str,
        definition: &RawJson,
        example: impl FnOnce() -> Option<Value>,
    ) -> Option<Self> {
        let mut bytes = PlaceBytes::of_definition(definition.as_bytes().len());
        let mut definition = RawObject::from_json(definition).ok()?;
        let mut schema = |key: &str, place: &str, any: Value| {
            let Some(mut schema) = definition.take::<Value>(key).ok().flatten() else { return Some(None) };
            move_to(&mut schema, place, &mut bytes)?;
            dialect::rewrite(&mut schema, place);
            Some(Some(if dialect::is_valid(&schema, place) { schema } else { any }))
        };
        let place = format!("#/components/schemas/{}.input", pointer_part(name));
        let input = schema("inputSchema", &place, json!({"type": "object"}))??;
        let place = format!("#/components/schemas/{}.output/properties/data/anyOf/0", pointer_part(name));
        let output = schema("outputSchema", &place, Value::Bool(true))?;
        let given = input.get("examples").and_then(|examples| examples.get(0)).cloned();
        let example = given.or_else(example);
        let (title, description) = (definition.text("title"), definition.text("description"));
        Some(Self { title, description, input, output, example })
    }
}

/// Escapes a name for a JSON pointer in a URI fragment.
pub(super) fn pointer_part(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the schemas in the document of a tool that has this one for its arguments and its results.
    fn shown(schema: &Value) -> (Value, Value) {
        let definition = json!({"name": "t", "inputSchema": schema, "outputSchema": schema});
        let tool = ToolSchemas::of("t", &RawJson::from_value(&definition).unwrap(), || None).unwrap();
        (tool.input, tool.output.unwrap())
    }

    #[test]
    fn only_a_schema_invalid_in_the_document_s_dialect_is_replaced() {
        for schema in [
            json!({"type": "str"}),
            json!({"type": "object", "properties": {"a": {"type": "string", "required": true}}}),
            json!({"type": "object", "properties": 5}),
            json!([{"type": "object"}]),
            json!({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": true}),
        ] {
            assert_eq!(shown(&schema), (json!({"type": "object"}), json!(true)), "{schema}");
        }
        let good = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^(?!x)"}}, "required": ["a"]});
        assert_eq!(shown(&good), (good.clone(), good));
    }

    #[test]
    fn keywords_that_openapi_reads_differently_are_left_out() {
        let with = json!({"anyOf": [{"type": "object"}], "xml": 5, "properties": {"xml": {"type": "string"}},
            "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/$defs/Cat"}}});
        let without = json!({"anyOf": [{"type": "object"}], "properties": {"xml": {"type": "string"}}});
        assert_eq!(shown(&with), (without.clone(), without));
    }

    #[test]
    fn a_draft_07_tuple_is_shown_in_the_dialect_of_the_document() {
        let pair = json!({"type": "array", "items": [{"type": "string"}, {"$ref": "#/properties/pair/items/0"}], "additionalItems": false});
        let schema = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"pair": pair}});
        let reference = "#/components/schemas/t.input/properties/pair/prefixItems/0";
        let pair = json!({"type": "array", "prefixItems": [{"type": "string"}, {"$ref": reference}], "items": false});
        assert_eq!(shown(&schema).0, json!({"type": "object", "properties": {"pair": pair}}));
    }

    #[test]
    fn a_tool_s_schemas_have_their_references_and_its_example() {
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
