//! Arguments that fit a schema, and arguments that do not.

use mgp_types::{json::RawJson, json_schema::CompiledSchema};
use serde_json::{Map, Value, json};

/// The deepest schema that arguments are made for.
const DEPTH: usize = 8;

/// Returns arguments that fit the schema of a tool, or `None` if none are found.
pub(crate) fn fitting(schema: &Value) -> Option<Value> {
    let value = example(schema, schema, 0)?;
    fits(schema, &value)?.then_some(value)
}

/// Returns arguments that do not fit the schema, with the reason; `None` if everything that is tried fits.
pub(crate) fn unfitting(schema: &Value) -> Option<(Value, String)> {
    let properties = schema["properties"].as_object();
    let wrong = |(name, _): (&String, &Value)| {
        [json!({ "unfit": ["unfit"] }), json!(-1.5), json!("unfit")].map(|value| with(schema, name, value))
    };
    let wrong = properties.into_iter().flatten().flat_map(wrong);
    let candidates = std::iter::once(json!({})).chain(wrong);
    candidates.take(32).find_map(|value| {
        let json = RawJson::parse(value.to_string()).ok()?;
        let mismatch = CompiledSchema::compile(schema).ok()?.check(&json).err()?;
        Some((value, mismatch.to_string()))
    })
}

/// Returns fitting arguments with one member changed.
fn with(schema: &Value, name: &str, value: Value) -> Value {
    let mut arguments = fitting(schema).unwrap_or_else(|| json!({}));
    arguments[name] = value;
    arguments
}

/// Returns whether a value fits a schema; `None` if the schema cannot be compiled.
pub(crate) fn fits(schema: &Value, value: &Value) -> Option<bool> {
    let json = RawJson::parse(value.to_string()).ok()?;
    Some(CompiledSchema::compile(schema).ok()?.check(&json).is_ok())
}

fn example(root: &Value, schema: &Value, depth: usize) -> Option<Value> {
    if depth > DEPTH {
        return None;
    }
    if let Some(target) = schema["$ref"].as_str() {
        return example(root, root.pointer(target.strip_prefix('#')?)?, depth + 1);
    }
    if let Some(value) = ["const", "default"].iter().find_map(|key| schema.get(key)) {
        return Some(value.clone());
    }
    if let Some(value) = ["examples", "enum"].iter().find_map(|key| schema[*key].as_array()?.first()) {
        return Some(value.clone());
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = schema[key].as_array().and_then(|all| all.first()) {
            return example(root, first, depth + 1);
        }
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"].as_array()?.first()?.as_str());
    Some(match kind {
        Some("object") => object(root, schema, depth)?,
        None if schema.get("properties").is_some() => object(root, schema, depth)?,
        Some("array") => {
            let least = schema["minItems"].as_u64().unwrap_or(0).min(4);
            let item = || example(root, &schema["items"], depth + 1);
            Value::Array((0..least).map(|_| item()).collect::<Option<_>>()?)
        }
        Some("integer") => json!(schema["minimum"].as_f64().map_or(1.0, f64::ceil) as i64),
        Some("number") => json!(schema["minimum"].as_f64().unwrap_or(1.0)),
        Some("boolean") => json!(false),
        Some("null") => Value::Null,
        _ => Value::String(text(schema)),
    })
}

fn object(root: &Value, schema: &Value, depth: usize) -> Option<Value> {
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    let mut members = Map::new();
    for name in required.iter().filter_map(Value::as_str) {
        members.insert(name.to_owned(), example(root, &schema["properties"][name], depth + 1)?);
    }
    Some(members.into())
}

fn text(schema: &Value) -> String {
    let known = match schema["format"].as_str() {
        Some("date-time") => "2026-01-01T00:00:00Z",
        Some("date") => "2026-01-01",
        Some("uri" | "url") => "https://example.com/",
        Some("email") => "ann@example.com",
        _ => "example",
    };
    let least = usize::try_from(schema["minLength"].as_u64().unwrap_or(0)).unwrap_or(0).min(1024);
    let most = usize::try_from(schema["maxLength"].as_u64().unwrap_or(1024)).unwrap_or(1024);
    let mut text = known.to_owned();
    while text.len() < least {
        text.push('x');
    }
    text.truncate(most);
    text
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
            json!({ "type": "object", "properties": { "o": { "anyOf": [{ "type": "boolean" }, { "type": "null" }] } }, "required": ["o"] }),
        ] {
            let made = fitting(&schema);
            assert_eq!(made.as_ref().and_then(|made| fits(&schema, made)), Some(true), "{schema}: {made:?}");
        }
    }

    #[test]
    fn a_schema_that_nothing_is_found_for_and_one_without_end_give_none() {
        let pattern = json!({ "type": "object", "properties": { "s": { "type": "string", "pattern": "^[0-9]{4}$" } }, "required": ["s"] });
        assert_eq!(fitting(&pattern), None);
        let endless = json!({ "type": "object", "properties": { "o": { "$ref": "#" } }, "required": ["o"] });
        assert_eq!(fitting(&endless), None);
    }

    #[test]
    fn arguments_that_do_not_fit_are_found_where_anything_is_demanded() {
        let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
        let (value, reason) = unfitting(&schema).unwrap();
        assert_eq!(fits(&schema, &value), Some(false), "{value}: {reason}");
        assert!(unfitting(&json!({ "type": "object" })).is_none());
    }
}
