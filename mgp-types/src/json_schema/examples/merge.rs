//! Joins two schemas that both apply.

use serde_json::{Map, Value};

/// Returns a schema that asks for what both ask for, as far as an example needs it. It may ask for less: examples are checked afterwards.
pub(super) fn merged(one: &Map<String, Value>, other: &Value) -> Map<String, Value> {
    let mut whole = one.clone();
    let Value::Object(other) = other else { return whole };
    for (key, value) in other {
        match whole.get_mut(key) {
            None => {
                whole.insert(key.clone(), value.clone());
            }
            Some(mine) => join(key, mine, value),
        }
    }
    whole
}

fn join(key: &str, mine: &mut Value, other: &Value) {
    match (key, mine, other) {
        (
            "properties" | "patternProperties" | "$defs" | "dependentRequired",
            Value::Object(mine),
            Value::Object(other),
        ) => {
            for (name, schema) in other {
                match mine.get_mut(name) {
                    Some(Value::Object(known)) => *known = merged(known, schema),
                    _ => {
                        mine.insert(name.clone(), schema.clone());
                    }
                }
            }
        }
        ("required" | "allOf", Value::Array(mine), Value::Array(other)) => mine.extend(other.iter().cloned()),
        ("enum", Value::Array(mine), Value::Array(other)) => mine.retain(|value| other.contains(value)),
        (
            "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties",
            mine @ Value::Number(_),
            Value::Number(_),
        ) if other.as_f64() > mine.as_f64() => *mine = other.clone(),
        (
            "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties",
            mine @ Value::Number(_),
            Value::Number(_),
        ) if other.as_f64() < mine.as_f64() => *mine = other.clone(),
        ("items" | "additionalProperties", Value::Object(mine), other @ Value::Object(_)) => {
            *mine = merged(mine, other);
        }
        // A branch says more than what it is a branch of.
        ("type" | "format" | "pattern" | "const" | "oneOf" | "anyOf", mine, other) => *mine = other.clone(),
        _ => {}
    }
}
