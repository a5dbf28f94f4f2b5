//! The reduction of a schema that is too large, in steps that each lose more.

use super::Kinds;
use serde_json::{Map, Value, json};

/// The most values of `enum` in a reduced schema.
const MAX_CHOICES: usize = 30;

/// The longest description in a reduced schema, in characters.
const MAX_DESCRIPTION: usize = 80;

/// The longest description of a definition that is replaced, in characters.
const MAX_STUB: usize = 120;

/// The depths below which a schema is cut, in levels of schemas.
const DEPTHS: [usize; 5] = [6, 4, 3, 2, 1];

/// Returns the length of a value as JSON, in bytes.
pub(crate) fn size(value: &Value) -> usize {
    let list = |items: usize, sizes: usize| sizes + items.saturating_sub(1) + 2;
    match value {
        Value::Null => 4,
        Value::Bool(is_true) => {
            if *is_true {
                4
            } else {
                5
            }
        }
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => text_size(text),
        Value::Array(items) => list(items.len(), items.iter().map(size).sum()),
        Value::Object(members) => {
            list(members.len(), members.iter().map(|(name, value)| text_size(name) + 1 + size(value)).sum())
        }
    }
}

fn text_size(text: &str) -> usize {
    let extra = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 1,
        0..0x20 => 5,
        _ => 0,
    };
    text.len() + 2 + text.bytes().map(extra).sum::<usize>()
}

/// Reduces a schema to at most `max` bytes, as far as possible. Returns whether parts were lost.
pub(super) fn reduce(schema: &mut Value, max: usize) -> bool {
    if size(schema) <= max {
        return false;
    }
    shorten(schema);
    for depth in DEPTHS {
        if size(schema) <= max {
            break;
        }
        cut(schema, depth);
    }
    if let Value::Object(members) = schema
        && size(&Value::Object(members.clone())) > max
    {
        members.remove("$defs");
        cut(schema, 0);
    }
    true
}

/// Returns a schema that has only the kinds and the description of a schema.
pub(super) fn stub(schema: &Value, kinds: Kinds) -> Value {
    let mut out = Map::new();
    match kinds.names().as_slice() {
        _ if kinds == Kinds::ANY => {}
        [name] => {
            out.insert("type".to_owned(), json!(name));
        }
        names => {
            out.insert("type".to_owned(), json!(names));
        }
    }
    let text = schema.get("description").or_else(|| schema.get("title")).and_then(Value::as_str);
    if let Some(text) = text {
        out.insert("description".to_owned(), crate::text::shortened(text, MAX_STUB).into());
    }
    Value::Object(out)
}

/// Removes examples and long lists of choices, and shortens descriptions.
fn shorten(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(members) => {
            if members.get("examples").is_some_and(Value::is_array) {
                members.remove("examples");
            }
            let many = members.get("enum").and_then(Value::as_array).map(Vec::len);
            if let Some(count) = many.filter(|count| *count > MAX_CHOICES) {
                members.remove("enum");
                members.insert("description".to_owned(), format!("One of {count} values.").into());
            }
            if let Some(Value::String(text)) = members.get_mut("description") {
                *text = crate::text::shortened(text, MAX_DESCRIPTION);
            }
            let is_value = |name: &str| ["default", "const", "enum", "examples"].contains(&name);
            members.iter_mut().filter(|(name, _)| !is_value(name)).for_each(|(_, part)| shorten(part));
        }
        _ => {}
    }
}

/// Replaces the schemas below a depth by their types.
fn cut(schema: &mut Value, depth: usize) {
    let Value::Object(members) = schema else { return };
    for name in ["properties", "patternProperties", "dependentSchemas", "$defs"] {
        if let Some(Value::Object(parts)) = members.get_mut(name) {
            parts.values_mut().for_each(|part| cut_part(part, depth));
        }
    }
    for name in ["allOf", "anyOf", "oneOf", "prefixItems"] {
        if let Some(Value::Array(parts)) = members.get_mut(name) {
            parts.iter_mut().for_each(|part| cut_part(part, depth));
        }
    }
    for name in ["items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"] {
        if let Some(part) = members.get_mut(name) {
            cut_part(part, depth);
        }
    }
}

fn cut_part(part: &mut Value, depth: usize) {
    match depth.checked_sub(1) {
        Some(depth) => cut(part, depth),
        // A reference is short, and `not` must not become a rule that nothing satisfies.
        None if part.get("$ref").is_some() => {}
        None => {
            *part = match types_of(part).as_slice() {
                [] => json!(true),
                [kind] => json!({"type": kind}),
                kinds => json!({"type": kinds}),
            };
        }
    }
}

/// Returns the types that a schema names, itself or in its choices. Empty if it may allow others.
fn types_of(schema: &Value) -> Vec<Value> {
    match schema.get("type") {
        Some(Value::Array(kinds)) => return kinds.clone(),
        Some(kind) => return vec![kind.clone()],
        None if schema.get("properties").is_some() => return vec![json!("object")],
        None => {}
    }
    let choices = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
    let mut types: Vec<Value> = Vec::new();
    for choice in choices.into_iter().flatten() {
        let kinds = types_of(choice);
        if kinds.is_empty() {
            return kinds;
        }
        for kind in kinds {
            if !types.contains(&kind) {
                types.push(kind);
            }
        }
    }
    types
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_that_of_the_json_text() {
        let value = json!({"a\n\"\u{1}": [1, -2.5, null, true, false, "ö\\"], "b": {}, "c": []});
        assert_eq!(size(&value), value.to_string().len());
    }

    #[test]
    fn a_reduced_schema_fits_and_keeps_its_members() {
        let deep = (0..20).fold(json!({"type": "string"}), |part, _| {
            json!({"type": "object", "description": "d".repeat(300), "properties": {"a": part, "b": {"type": "integer"}}})
        });
        let mut schema = json!({"type": "object", "properties": {"x": deep, "y": {"enum": (0..1000).collect::<Vec<_>>()}}});
        assert!(reduce(&mut schema, 800));
        assert!(size(&schema) <= 800, "{schema}");
        assert_eq!(schema["properties"]["x"]["type"], "object");
        assert_eq!(schema["properties"]["y"]["description"], "One of 1000 values.");
        assert!(!reduce(&mut schema, 800));
    }
}
