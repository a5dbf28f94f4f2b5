//! Alternatives of `oneOf` that a tag makes exclusive: the variants of an enum in Rust.

use serde_json::Value;
use std::collections::BTreeMap;

/// Returns alternatives by their tags; `None` if there are no alternatives, or no tag distinguishes all of them.
///
/// The tag is a constant, the constant of a property that each requires, or the only property that each requires and allows.
pub(super) fn by_tag(alternatives: &[Value]) -> Option<BTreeMap<String, &Value>> {
    let properties = required(alternatives.first()?);
    let by_property =
        || properties.iter().find_map(|name| distinct(alternatives, |schema| of_property(schema, name)));
    distinct(alternatives, constant).or_else(by_property).or_else(|| distinct(alternatives, of_only_property))
}

fn distinct(
    alternatives: &[Value],
    tag: impl Fn(&Value) -> Option<String>,
) -> Option<BTreeMap<String, &Value>> {
    let tagged: Option<BTreeMap<_, _>> =
        alternatives.iter().map(|schema| Some((tag(schema)?, schema))).collect();
    tagged.filter(|tagged| tagged.len() == alternatives.len())
}

/// Returns the only value that a schema allows.
fn constant(schema: &Value) -> Option<String> {
    let one = || schema.get("enum")?.as_array().filter(|values| values.len() == 1)?.first();
    schema.get("const").or_else(one).map(Value::to_string)
}

/// Returns the only value that a schema allows in a property that it requires.
fn of_property(schema: &Value, name: &str) -> Option<String> {
    if !is_object(schema) || !required(schema).contains(&name) {
        return None;
    }
    Some(format!("{name}={}", constant(schema.get("properties")?.get(name)?)?))
}

/// Returns the name of the only property that a schema requires and allows.
fn of_only_property(schema: &Value) -> Option<String> {
    let is_closed = is_object(schema) && schema.get("additionalProperties") == Some(&Value::Bool(false));
    let properties = schema.get("properties")?.as_object()?;
    let name = properties.keys().next().filter(|_| is_closed && properties.len() == 1)?;
    required(schema).contains(&name.as_str()).then(|| name.clone())
}

/// Returns whether a schema allows only objects. For other values, its properties have no effect.
fn is_object(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
}

fn required(schema: &Value) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}
