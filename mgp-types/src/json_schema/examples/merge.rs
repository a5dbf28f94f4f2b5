//! Joins two schemas that both apply.

use super::budget::Budget;
use serde_json::{Map, Value};

/// The members of a schema that examples do not need. Definitions are found by their place in the document.
const LEFT_OUT: [&str; 5] = ["$comment", "$defs", "definitions", "description", "title"];

/// Adds the requirements of another schema, as far as an example needs them. The result may be too lenient, because examples are checked
/// afterwards. Returns `None` if that is too much work.
pub(super) fn merge(budget: &mut Budget, whole: &mut Map<String, Value>, other: &Value) -> Option<()> {
    let Value::Object(other) = other else { return Some(()) };
    for (key, value) in other.iter().filter(|(key, _)| !LEFT_OUT.contains(&key.as_str())) {
        match whole.get_mut(key) {
            None => drop(whole.insert(key.clone(), budget.copy(value)?)),
            Some(mine) => join(budget, key, mine, value)?,
        }
    }
    Some(())
}

fn join(budget: &mut Budget, key: &str, mine: &mut Value, other: &Value) -> Option<()> {
    match (key, mine, other) {
        (
            "properties" | "patternProperties" | "dependentRequired",
            Value::Object(mine),
            Value::Object(other),
        ) => {
            for (name, schema) in other {
                match mine.get_mut(name) {
                    Some(Value::Object(known)) => merge(budget, known, schema)?,
                    _ => drop(mine.insert(name.clone(), budget.copy(schema)?)),
                }
            }
        }
        ("required" | "allOf", Value::Array(mine), other @ Value::Array(_)) => {
            if let Value::Array(other) = budget.copy(other)? {
                mine.extend(other);
            }
        }
        ("enum", Value::Array(mine), Value::Array(other)) => {
            budget.take(mine.len().saturating_mul(other.len()))?;
            mine.retain(|value| other.contains(value));
        }
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
        ("items" | "additionalProperties", Value::Object(mine), Value::Object(_)) => {
            merge(budget, mine, other)?;
        }
        // A branch is more specific than the schema around it.
        ("type" | "format" | "pattern" | "const" | "oneOf" | "anyOf", mine, other) => {
            *mine = budget.copy(other)?;
        }
        _ => {}
    }
    Some(())
}
