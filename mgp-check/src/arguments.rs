//! Arguments that fit a schema, and arguments that do not.

use mgp_types::{
    json::RawJson,
    json_schema::{CompiledSchema, schema_examples},
};
use serde_json::{Map, Value, json};

/// Returns arguments for a tool: those of one of its examples, or otherwise those built from its schema; `None` if none are
/// found.
pub(crate) fn of_tool(tool: &Value) -> Option<Value> {
    let schema = &tool["inputSchema"];
    let examples = tool["_meta"]["dev.cloto/tool"]["examples"].as_array();
    let mut examples = examples.into_iter().flatten().map(|example| &example["arguments"]);
    let example = examples.find(|arguments| arguments.is_object() && fits(schema, arguments) == Some(true));
    example.cloned().or_else(|| fitting(schema))
}

/// Returns arguments that fit the schema of a tool, with as few members as possible; `None` if none are found.
pub(crate) fn fitting(schema: &Value) -> Option<Value> {
    let few = |arguments: &Value| arguments.as_object().map_or(0, Map::len);
    schema_examples(schema).into_iter().filter(Value::is_object).min_by_key(few)
}

/// Returns arguments that do not fit the schema, with the reason; `None` if every attempt fits.
pub(crate) fn unfitting(schema: &Value) -> Option<(Value, String)> {
    let compiled = CompiledSchema::compile(schema).ok()?;
    let properties = schema["properties"].as_object();
    let fitting = fitting(schema).unwrap_or_else(|| json!({}));
    let wrong = |(name, _): (&String, &Value)| {
        [json!({ "unfit": ["unfit"] }), json!(-1.5), json!("unfit")].map(|value| with(&fitting, name, value))
    };
    let wrong = properties.into_iter().flatten().flat_map(wrong);
    let candidates = std::iter::once(json!({})).chain(wrong);
    candidates.take(32).find_map(|value| {
        let json = RawJson::parse(value.to_string()).ok()?;
        let mismatch = compiled.check(&json).err()?;
        Some((value, mismatch.to_string()))
    })
}

/// Returns arguments with one member changed.
fn with(arguments: &Value, name: &str, value: Value) -> Value {
    let mut arguments = arguments.clone();
    if let Some(members) = arguments.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
    arguments
}

/// Returns whether a value fits a schema; `None` if the schema cannot be compiled.
pub(crate) fn fits(schema: &Value, value: &Value) -> Option<bool> {
    let json = RawJson::parse(value.to_string()).ok()?;
    Some(CompiledSchema::compile(schema).ok()?.check(&json).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_fit_the_schemas_that_tools_have() {
        for schema in [
            json!({ "type": "object" }),
            json!({ "type": "object", "properties": { "n": { "type": "integer", "minimum": 3 } }, "required": ["n"] }),
            json!({ "type": "object", "properties": { "s": { "type": "string", "minLength": 9, "maxLength": 9 } }, "required": ["s"] }),
            json!({ "type": "object", "properties": { "e": { "$ref": "#/$defs/e" } }, "required": ["e"],
                    "$defs": { "e": { "enum": ["a", "b"] } } }),
            json!({ "type": "object", "properties": { "l": { "type": "array", "minItems": 2, "items": { "type": "number" } } }, "required": ["l"] }),
            json!({ "type": "object", "properties": { "s": { "type": "string", "pattern": "^[0-9]{4}$" } }, "required": ["s"] }),
            json!({ "properties": { "q": {} }, "examples": ["cats"] }),
            json!({ "type": "object", "properties": { "o": { "anyOf": [{ "type": "boolean" }, { "type": "null" }] } }, "required": ["o"] }),
        ] {
            let made = fitting(&schema);
            assert_eq!(made.as_ref().and_then(|made| fits(&schema, made)), Some(true), "{schema}: {made:?}");
        }
    }

    #[test]
    fn a_tool_s_example_precedes_its_schema_if_it_fits() {
        let of = |arguments: Value| {
            let schema =
                json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
            let examples = json!({ "dev.cloto/tool": { "examples": [{ "arguments": arguments }] } });
            of_tool(&json!({ "inputSchema": schema, "_meta": examples })).unwrap()
        };
        assert_eq!(of(json!({ "n": 77 })), json!({ "n": 77 }));
        assert_ne!(of(json!({ "n": "77" })), json!({ "n": "77" }));
    }

    #[test]
    fn an_unsatisfiable_and_an_endless_schema_have_no_arguments() {
        for schema in [
            json!({ "type": "object", "properties": { "o": false }, "required": ["o"] }),
            json!({ "type": "object", "properties": { "o": { "$ref": "#" } }, "required": ["o"] }),
        ] {
            assert_eq!(fitting(&schema), None, "{schema}");
        }
    }

    #[test]
    fn misfitting_arguments_are_found_if_anything_is_required() {
        let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
        let (value, reason) = unfitting(&schema).unwrap();
        assert_eq!(fits(&schema, &value), Some(false), "{value}: {reason}");
        assert!(unfitting(&json!({ "type": "object" })).is_none());
        let text = json!({ "properties": { "q": {} }, "examples": ["cats"] });
        assert!(unfitting(&text).is_none_or(|(value, _)| fits(&text, &value) == Some(false)));
    }
}
