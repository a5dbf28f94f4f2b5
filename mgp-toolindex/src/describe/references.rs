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
