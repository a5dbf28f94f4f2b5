//! References within JSON Schemas.

use serde_json::{Map, Value};

/// The most references that are followed in a row.
const MAX_STEPS: usize = 16;

/// Returns the schema that a reference leads to within the document, or the schema itself.
pub(super) fn resolved<'s>(root: &'s Map<String, Value>, schema: &'s Value) -> &'s Value {
    let mut schema = schema;
    for _ in 0..MAX_STEPS {
        let Some(Value::String(reference)) = schema.get("$ref") else { return schema };
        let Some(target) = pointer(root, reference) else { return schema };
        schema = target;
    }
    schema
}

fn pointer<'s>(root: &'s Map<String, Value>, reference: &str) -> Option<&'s Value> {
    let path = reference.strip_prefix("#/")?;
    let (first, rest) = match path.split_once('/') {
        Some((first, rest)) => (first, format!("/{rest}")),
        None => (path, String::new()),
    };
    root.get(&first.replace("~1", "/").replace("~0", "~"))?.pointer(&rest)
}

/// Moves the references of a schema that becomes a part of another document, at a pointer there. Dialect and address of its own are
/// removed, since both would change what its references mean.
pub(super) fn moved(schema: &Value, to: &str) -> Value {
    let mut moved = moved_part(schema, to);
    if let Value::Object(members) = &mut moved {
        members.remove("$schema");
        members.remove("$id");
    }
    moved
}

fn moved_part(schema: &Value, to: &str) -> Value {
    match schema {
        Value::Array(parts) => parts.iter().map(|part| moved_part(part, to)).collect(),
        Value::Object(members) => {
            let moved = members.iter().map(|(key, value)| {
                let value = match (key.as_str(), value) {
                    ("$ref", Value::String(reference)) => Value::String(moved_reference(reference, to)),
                    // Values, in which nothing is a reference.
                    ("const" | "enum" | "default" | "examples", value) => value.clone(),
                    (_, value) => moved_part(value, to),
                };
                (key.clone(), value)
            });
            Value::Object(moved.collect())
        }
        value => value.clone(),
    }
}

fn moved_reference(reference: &str, to: &str) -> String {
    match reference.strip_prefix('#') {
        Some(path) if path.is_empty() || path.starts_with('/') => format!("{to}{path}"),
        _ => reference.to_owned(),
    }
}
