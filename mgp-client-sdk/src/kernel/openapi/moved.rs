//! Schemas that become parts of a document.
//!
//! A schema of its own refers to itself by `#`, and in the document to its place there. A reader of the document must not have to ask anybody
//! else for a part of it, so nothing in it refers to other documents.

use super::schema::pointer_part;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The keywords whose members are schemas by name.
const NAMED_SCHEMAS: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// The keywords whose values are data.
const DATA: [&str; 5] = ["const", "enum", "default", "examples", "example"];

/// The keywords that name a schema or its dialect.
const NAMES: [&str; 5] = ["$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary"];

/// Rewrites the references of a schema for its place in a document. A reference to a schema elsewhere is taken out, so that anything fits it. The
/// nesting of definitions that are listed is bounded.
pub(super) fn move_to(schema: &mut Value, place: &str) {
    let id = text(schema, "$id").map(without_fragment).unwrap_or_default().to_owned();
    let mut anchors = HashMap::new();
    each_schema(schema, place, &mut |members, at| {
        for key in ["$anchor", "$dynamicAnchor"] {
            if let Some(Value::String(anchor)) = members.get(key) {
                anchors.entry(anchor.clone()).or_insert_with(|| at.to_owned());
            }
        }
    });
    each_schema(schema, place, &mut |members, _| {
        for key in NAMES {
            members.remove(key);
        }
        for key in ["$ref", "$dynamicRef"] {
            let Some(Value::String(reference)) = members.get(key) else { continue };
            let target = target(reference, &id, place, &anchors);
            members.remove(key);
            if let Some(target) = target {
                members.insert("$ref".to_owned(), target.into());
            }
        }
    });
}

/// Returns the place in the document that a reference leads to; `None` if it leads elsewhere.
fn target(reference: &str, id: &str, place: &str, anchors: &HashMap<String, String>) -> Option<String> {
    let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    if !document.is_empty() && document != id {
        return None;
    }
    if fragment.is_empty() || fragment.starts_with('/') {
        return Some(format!("{place}{fragment}"));
    }
    anchors.get(fragment).cloned()
}

/// Calls a function with the members of each object schema in a schema, and its place. The values of names are texts, because a property may
/// have the name of a keyword.
fn each_schema(schema: &mut Value, at: &str, each: &mut impl FnMut(&mut Map<String, Value>, &str)) {
    match schema {
        Value::Object(members) => {
            each(members, at);
            for (key, member) in members.iter_mut() {
                let at = format!("{at}/{}", pointer_part(key));
                match member {
                    Value::Object(schemas) if NAMED_SCHEMAS.contains(&&**key) => {
                        for (name, schema) in schemas {
                            each_schema(schema, &format!("{at}/{}", pointer_part(name)), each);
                        }
                    }
                    _ if DATA.contains(&&**key) => {}
                    member => each_schema(member, &at, each),
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                each_schema(item, &format!("{at}/{index}"), each);
            }
        }
        _ => {}
    }
}

fn text<'s>(schema: &'s Value, key: &str) -> Option<&'s str> {
    schema.get(key).and_then(Value::as_str)
}

fn without_fragment(uri: &str) -> &str {
    uri.split('#').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn moved(mut schema: Value) -> Value {
        move_to(&mut schema, "#/p");
        schema
    }

    #[test]
    fn references_within_a_schema_point_to_its_place_in_the_document() {
        let schema = moved(json!({
            "$schema": "x", "type": "object", "$id": "https://a.example/s#",
            "properties": {
                "a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#B"}, "c": {"$ref": "https://a.example/s#/$defs/A"},
                "$ref": {"type": "string"}, "$id": {"type": "string"}
            },
            "$defs": {"A": {"items": [{"$ref": "#"}]}, "B/C": {"$anchor": "B", "type": "integer"}}
        }));
        let expected = json!({
            "type": "object",
            "properties": {
                "a": {"$ref": "#/p/$defs/A"}, "b": {"$ref": "#/p/$defs/B~1C"}, "c": {"$ref": "#/p/$defs/A"},
                "$ref": {"type": "string"}, "$id": {"type": "string"}
            },
            "$defs": {"A": {"items": [{"$ref": "#/p"}]}, "B/C": {"type": "integer"}}
        });
        assert_eq!(schema, expected);
    }

    #[test]
    fn no_reference_leads_out_of_the_document() {
        let schema = moved(json!({
            "properties": {
                "a": {"$ref": "http://169.254.169.254/latest", "description": "d"},
                "b": {"$ref": "other.json#/x"}, "c": {"$ref": "#absent"}, "d": {"$dynamicRef": "#node"}
            },
            "$dynamicAnchor": "node"
        }));
        let expected =
            json!({"properties": {"a": {"description": "d"}, "b": {}, "c": {}, "d": {"$ref": "#/p"}}});
        assert_eq!(schema, expected);
    }

    #[test]
    fn data_in_a_schema_stay_as_they_are() {
        let schema = json!({"default": {"$ref": "#/x", "$id": "i"}, "enum": [{"$ref": "y"}], "const": {"$schema": "z"}});
        assert_eq!(moved(schema.clone()), schema);
    }
}
