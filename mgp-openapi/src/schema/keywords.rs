//! The keywords of a schema that are values: checked, and brought into the form of JSON Schema 2020-12.

use super::kinds::{Kind, is_nullable};
use crate::{
    limits::{MAX_CHOICES, MAX_KEYWORD, MAX_MEMBER_DESCRIPTION},
    text::{is_within, shortened},
};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// The longest value of `default` or of an example, in bytes of JSON.
const MAX_EXAMPLE: usize = 300;

/// The most examples of a schema.
const MAX_EXAMPLES: usize = 3;

/// Adds the keywords of a schema that are values to its converted form.
pub(super) fn convert_values(schema: &Map<String, Value>, out: &mut Map<String, Value>) {
    let mut keep = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            out.insert(name.to_owned(), value);
        }
    };
    for name in ["title", "description"] {
        let text = schema.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        keep(name, text.map(|text| shortened(text, MAX_MEMBER_DESCRIPTION).into()));
    }
    keep("type", types(schema.get("type")));
    for name in ["pattern", "format", "contentEncoding", "contentMediaType"] {
        let is_usable = |value: &&Value| value.is_string() && is_within(value, MAX_KEYWORD);
        keep(name, schema.get(name).filter(is_usable).cloned());
    }
    for name in [
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "minContains",
        "maxContains",
    ] {
        keep(name, schema.get(name).and_then(count));
    }
    for (name, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        let bound = schema.get(name).filter(|value| value.is_number()).cloned();
        match schema.get(exclusive) {
            Some(Value::Bool(true)) => keep(exclusive, bound),
            Some(number @ Value::Number(_)) => {
                keep(name, bound);
                keep(exclusive, Some(number.clone()));
            }
            _ => keep(name, bound),
        }
    }
    let step = schema.get("multipleOf").filter(|step| step.as_f64().is_some_and(|step| step > 0.0));
    keep("multipleOf", step.cloned());
    for name in ["uniqueItems", "deprecated"] {
        keep(name, schema.get(name).filter(|value| **value == Value::Bool(true)).cloned());
    }
    keep("enum", schema.get("enum").and_then(|values| choices(values, schema.get("type"))));
    keep("const", schema.get("const").filter(|value| is_within(value, MAX_KEYWORD)).cloned());
    let is_short = |value: &&Value| is_within(value, MAX_EXAMPLE);
    let default = schema.get("default").filter(is_short).filter(|value| !value.is_null());
    keep("default", default.and_then(|value| fitting(value, schema.get("type"))));
    keep("examples", examples(schema));
    if let Some(Value::Object(dependent)) =
        schema.get("dependentRequired").filter(|value| is_within(value, MAX_KEYWORD))
        && dependent
            .values()
            .all(|names| names.as_array().is_some_and(|names| names.iter().all(Value::is_string)))
    {
        keep("dependentRequired", Some(Value::Object(dependent.clone())));
    }
}

/// Lets a converted schema allow null, if the schema says so in the manner of OpenAPI 3.0.
pub(super) fn allow_null(schema: &Value, out: Map<String, Value>) -> Map<String, Value> {
    if !is_nullable(schema) {
        return out;
    }
    let mut out = out;
    let is_composed = ["$ref", "allOf", "anyOf", "oneOf"].iter().any(|name| out.contains_key(*name));
    match out.get_mut("type") {
        Some(Value::Array(types)) if !types.contains(&json!("null")) => types.push(json!("null")),
        Some(Value::Array(_)) => {}
        Some(single) if *single != json!("null") => *single = json!([single.take(), "null"]),
        _ => {}
    }
    if let Some(Value::Array(values)) = out.get_mut("enum").filter(|_| !is_composed)
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    if !is_composed {
        return out;
    }
    let mut outer = Map::new();
    for name in ["title", "description", "default", "deprecated", "examples"] {
        if let Some(value) = out.remove(name) {
            outer.insert(name.to_owned(), value);
        }
    }
    outer.insert("anyOf".to_owned(), json!([out, {"type": "null"}]));
    outer
}

/// Returns the valid names of types.
fn types(value: Option<&Value>) -> Option<Value> {
    match value? {
        Value::String(name) if name == "file" => Some(json!("string")),
        Value::String(name) => Kind::parse(name).map(|kind| json!(kind.name())),
        Value::Array(names) => {
            let mut kinds: Vec<&str> = Vec::new();
            for name in names {
                // An unknown type allows anything.
                let kind = name.as_str().and_then(Kind::parse)?.name();
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            (!kinds.is_empty()).then(|| json!(kinds))
        }
        _ => None,
    }
}

/// Returns a count that is not negative.
fn count(value: &Value) -> Option<Value> {
    let from_float = |value: &Value| value.as_f64().filter(|n| n.fract() == 0.0 && (0.0..1e15).contains(n));
    // Within these bounds, the cast is exact.
    value.as_u64().or_else(|| from_float(value).map(|n| n as u64)).map(Value::from)
}

/// Returns the values of `enum` that fit a type.
pub(super) fn choices(values: &Value, kind: Option<&Value>) -> Option<Value> {
    let values = values.as_array().filter(|values| values.len() <= MAX_CHOICES)?;
    let mut seen = HashSet::new();
    let short = values.iter().filter(|value| is_within(value, MAX_KEYWORD));
    let choices = short.filter_map(|value| fitting(value, kind));
    let choices: Vec<Value> = choices.filter(|choice| seen.insert(choice.to_string())).collect();
    (!choices.is_empty()).then_some(Value::Array(choices))
}

/// Returns a value that fits a type. A number that YAML made of a text becomes a text again, and a text with a number
/// becomes one.
fn fitting(value: &Value, kind: Option<&Value>) -> Option<Value> {
    let parsed = |value: &Value| value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    match (kind.and_then(Value::as_str), value) {
        (Some(_), Value::Null) => None,
        (Some("string"), Value::Number(_) | Value::Bool(_)) => Some(value.to_string().into()),
        (Some("string"), value) => value.is_string().then(|| value.clone()),
        (Some("boolean"), Value::String(_)) => parsed(value).filter(Value::is_boolean),
        (Some("integer" | "number"), Value::String(_)) => parsed(value).filter(Value::is_number),
        (Some("boolean"), value) => value.is_boolean().then(|| value.clone()),
        (Some("integer" | "number"), value) => value.is_number().then(|| value.clone()),
        (Some("array"), value) => value.is_array().then(|| value.clone()),
        (Some("object"), value) => value.is_object().then(|| value.clone()),
        _ => Some(value.clone()),
    }
}

fn examples(schema: &Map<String, Value>) -> Option<Value> {
    let listed = schema.get("examples").and_then(Value::as_array).into_iter().flatten();
    let examples = listed.chain(schema.get("example")).filter(|value| is_within(value, MAX_EXAMPLE));
    let examples: Vec<&Value> = examples.filter(|value| !value.is_null()).take(MAX_EXAMPLES).collect();
    (!examples.is_empty()).then(|| json!(examples))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: &Value, expected: &Value) {
        let mut out = Map::new();
        convert_values(schema.as_object().unwrap(), &mut out);
        assert_eq!(Value::Object(allow_null(schema, out)), *expected, "{schema}");
    }

    #[test]
    fn keywords_of_3_0_become_those_of_2020_12() {
        check(&json!({"type": "string", "nullable": true}), &json!({"type": ["string", "null"]}));
        check(
            &json!({"type": "string", "enum": ["a"], "nullable": true}),
            &json!({"type": ["string", "null"], "enum": ["a", null]}),
        );
        check(&json!({"minimum": 1, "exclusiveMinimum": true}), &json!({"exclusiveMinimum": 1}));
        check(&json!({"maximum": 9, "exclusiveMaximum": false}), &json!({"maximum": 9}));
        check(&json!({"maximum": 9, "exclusiveMaximum": 8}), &json!({"maximum": 9, "exclusiveMaximum": 8}));
        check(&json!({"example": 5}), &json!({"examples": [5]}));
        check(&json!({"type": "file"}), &json!({"type": "string"}));
    }

    #[test]
    fn keywords_that_are_not_valid_are_left_out() {
        check(
            &json!({
                "type": "any", "minLength": -1, "maxLength": "5", "maxItems": 3.0, "minimum": "0", "enum": [],
                "required": true, "discriminator": {}, "xml": {}, "x-own": 1, "multipleOf": 0, "pattern": 5,
                "deprecated": false, "description": " "
            }),
            &json!({"maxItems": 3}),
        );
    }

    #[test]
    fn a_default_that_does_not_fit_its_type_is_left_out() {
        check(&json!({"type": "string", "default": false}), &json!({"type": "string", "default": "false"}));
        check(&json!({"type": "string", "default": []}), &json!({"type": "string"}));
        check(&json!({"type": "integer", "default": "1"}), &json!({"type": "integer", "default": 1}));
        check(&json!({"type": "integer", "default": "1 (one)"}), &json!({"type": "integer"}));
        check(&json!({"type": "array", "default": []}), &json!({"type": "array", "default": []}));
        check(&json!({"default": null}), &json!({}));
    }

    #[test]
    fn choices_fit_their_type() {
        check(&json!({"type": "integer", "enum": ["1", "a"]}), &json!({"type": "integer", "enum": [1]}));
        check(&json!({"type": "integer", "enum": ["a"]}), &json!({"type": "integer"}));
        check(&json!({"enum": ["a", null, 1]}), &json!({"enum": ["a", null, 1]}));
        check(
            &json!({"type": "string", "enum": [1, true, "1"]}),
            &json!({"type": "string", "enum": ["1", "true"]}),
        );
    }
}
