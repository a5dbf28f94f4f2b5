//! The fields of a JSON Schema, one per row.

use super::references::resolved;
use serde_json::{Map, Value};

/// The most fields that are listed.
const MAX_FIELDS: usize = 200;
/// The deepest nesting of fields that is listed, in levels.
const MAX_DEPTH: usize = 4;

/// A field of a schema.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    /// The name, with those of the objects around it.
    pub(super) name: String,
    /// The type, in words.
    pub(super) kind: String,
    /// True if an object must have the field.
    pub(super) required: bool,
    pub(super) description: String,
    /// The other limits, each as `keyword value`.
    pub(super) limits: String,
}

/// Returns the fields of an object's schema, and the number of those that are left out.
pub(super) fn fields(schema: &Map<String, Value>) -> (Vec<Field>, usize) {
    let mut listed = FieldList { root: schema, fields: Vec::new(), left_out: 0 };
    listed.object("", schema, MAX_DEPTH);
    (listed.fields, listed.left_out)
}

struct FieldList<'s> {
    root: &'s Map<String, Value>,
    fields: Vec<Field>,
    left_out: usize,
}

impl FieldList<'_> {
    fn object(&mut self, prefix: &str, schema: &Map<String, Value>, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let Some(Value::Object(properties)) = schema.get("properties") else { return };
        let required = schema.get("required").and_then(Value::as_array);
        for (name, field) in properties {
            if self.fields.len() == MAX_FIELDS {
                self.left_out += 1;
                continue;
            }
            let field = resolved(self.root, field);
            let empty = Map::new();
            let members = field.as_object().unwrap_or(&empty);
            let path = format!("{prefix}{name}");
            self.fields.push(Field {
                kind: kind(members),
                required: required.is_some_and(|names| names.iter().any(|one| one == name)),
                description: text(members, "description"),
                limits: limits(members),
                name: path.clone(),
            });
            self.object(&format!("{path}."), members, depth);
            let items = members.get("items").map(|items| resolved(self.root, items));
            if let Some(Value::Object(items)) = items {
                self.object(&format!("{path}[]."), items, depth);
            }
        }
    }
}

fn text(members: &Map<String, Value>, key: &str) -> String {
    members.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns the type of a schema's values, in words.
fn kind(members: &Map<String, Value>) -> String {
    let named = match members.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ if members.contains_key("const") || members.contains_key("enum") => "one of some values".to_owned(),
        _ if members.contains_key("oneOf") || members.contains_key("anyOf") => "one of several".to_owned(),
        _ => "any".to_owned(),
    };
    let items = members.get("items").and_then(Value::as_object).map(kind);
    match items {
        Some(items) if named == "array" => format!("array of {items}"),
        _ => named,
    }
}

/// Returns the limits other than the type.
fn limits(members: &Map<String, Value>) -> String {
    const SHOWN: [&str; 18] = [
        "const",
        "enum",
        "default",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "contentMediaType",
        "contentEncoding",
        "minItems",
        "maxItems",
        "uniqueItems",
        "deprecated",
    ];
    let limit =
        |key: &&str| members.get(*key).map(|value| format!("{key} {}", shortened(&value.to_string())));
    SHOWN.iter().filter_map(limit).collect::<Vec<_>>().join(", ")
}

/// The longest limit that a row shows, in characters.
const MAX_SHOWN: usize = 200;

fn shortened(text: &str) -> String {
    if text.chars().nth(MAX_SHOWN).is_none() {
        return text.to_owned();
    }
    text.chars().take(MAX_SHOWN).chain(['…']).collect()
}
