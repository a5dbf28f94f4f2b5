//! Schemas that become parts of a document.
//!
//! A separate schema refers to itself by `#`, and inside the document by its path there. The document must be self-contained, so its schemas
//! do not refer to other documents.

use super::schema::pointer_part;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The keywords whose members are schemas by name.
const NAMED_SCHEMAS: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// The keywords whose values are data.
const DATA: [&str; 6] = ["const", "enum", "default", "examples", "example", "dependentRequired"];

/// The keywords that name a schema or its dialect.
const NAMES: [&str; 5] = ["$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary"];

/// The keywords that OpenAPI adds to schemas. MCP servers may use them differently, or refer to missing paths.
const OF_OPENAPI: [&str; 3] = ["discriminator", "xml", "externalDocs"];

/// The remaining number of bytes for the paths and URIs of a schema, which grow with the product of its names.
pub(super) struct PlaceBytes(usize);

impl PlaceBytes {
    /// Returns the number of bytes for the schemas of a definition of this size.
    pub(super) fn of_definition(bytes: usize) -> Self {
        Self(64 * 1024 + 8 * bytes)
    }

    fn spend(&mut self, bytes: usize) -> Option<()> {
        self.0 = self.0.checked_sub(bytes)?;
        Some(())
    }
}

/// Rewrites the references of a schema for its path in a document. A reference to a schema elsewhere, or to none, is removed, so that it
/// accepts anything. The nesting of definitions in lists is bounded. Returns `None` if the paths would need too many bytes.
pub(super) fn move_to(schema: &mut Value, place: &str, bytes: &mut PlaceBytes) -> Option<()> {
    let (original, mut named) = (schema.clone(), NamedSchemas::default());
    each_schema(schema, "", "", &mut |members, at, base| {
        bytes.spend(2 * (at.len() + base.len()))?;
        named.add(members, at, base);
        Some(())
    })?;
    each_schema(schema, "", "", &mut |members, _, base| {
        for key in NAMES.into_iter().chain(OF_OPENAPI) {
            members.remove(key);
        }
        for key in ["$ref", "$dynamicRef"] {
            let Some(Value::String(reference)) = members.get(key) else { continue };
            let target = named.target(&original, reference, base);
            members.remove(key);
            if let Some(target) = target {
                bytes.spend(place.len() + target.len())?;
                members.insert("$ref".to_owned(), format!("{place}{target}").into());
            }
        }
        Some(())
    })
}

/// The schemas within a schema that references can name, by their paths. A path is a JSON pointer.
#[derive(Default)]
struct NamedSchemas {
    /// The schemas with their own URI, and the outermost one, whose URI is empty if it has none.
    by_uri: HashMap<String, String>,
    /// The schemas with an anchor, by the URI of the enclosing schema and the anchor.
    by_anchor: HashMap<(String, String), String>,
}

impl NamedSchemas {
    /// Adds the names of a schema. `base` is the URI of the innermost enclosing schema that has one, which may be the schema itself.
    fn add(&mut self, members: &Map<String, Value>, at: &str, base: &str) {
        self.by_uri.entry(base.to_owned()).or_insert_with(|| at.to_owned());
        // Older dialects write an anchor as the fragment of an id.
        let id = text(members, "$id").and_then(|id| id.strip_prefix('#'));
        for anchor in [text(members, "$anchor"), text(members, "$dynamicAnchor"), id].into_iter().flatten() {
            let anchor = (base.to_owned(), anchor.to_owned());
            self.by_anchor.entry(anchor).or_insert_with(|| at.to_owned());
        }
    }

    /// Returns the path of the schema that a reference names; `None` if it is outside of the schema, or does not exist.
    fn target(&self, schema: &Value, reference: &str, base: &str) -> Option<String> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let uri = resolve(base, document);
        let (place, pointer) = match fragment {
            "" => (self.by_uri.get(&uri)?, ""),
            pointer if pointer.starts_with('/') => (self.by_uri.get(&uri)?, pointer),
            anchor => (self.by_anchor.get(&(uri, anchor.to_owned()))?, ""),
        };
        let there = schema.pointer(&format!("{place}{}", decoded(pointer)?))?;
        (there.is_object() || there.is_boolean()).then(|| format!("{place}{pointer}"))
    }
}

/// Returns the URI of a reference without its fragment. A URI with `..` names nothing here.
fn resolve(base: &str, reference: &str) -> String {
    let is_absolute = reference.split_once(':').is_some_and(|(scheme, _)| !scheme.contains('/'));
    let origin = |base: &str| {
        let authority = base.find("://").map_or(0, |scheme| scheme + 3);
        base[authority..].find('/').map_or(base.len(), |path| authority + path)
    };
    let kept = match reference {
        "" => base.len(),
        _ if is_absolute => 0,
        path if path.starts_with('/') => origin(base),
        _ => base.rfind('/').map_or(0, |last| last + 1),
    };
    format!("{}{reference}", &base[..kept])
}

/// Decodes the percent-encoding of a fragment; `None` if it is invalid.
pub(super) fn decoded(fragment: &str) -> Option<String> {
    let mut parts = fragment.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

/// Calls a function for each object schema in a schema, until it returns `None`. The arguments are the members, the path, and the URI of the
/// innermost enclosing schema with one. The values of keywords are texts, because a property may have the name of a keyword.
pub(super) fn each_schema(
    schema: &mut Value,
    at: &str,
    base: &str,
    each: &mut impl FnMut(&mut Map<String, Value>, &str, &str) -> Option<()>,
) -> Option<()> {
    match schema {
        Value::Object(members) => {
            let id = text(members, "$id").map(|id| id.split('#').next().unwrap_or_default());
            let base = &resolve(base, id.unwrap_or_default());
            each(members, at, base)?;
            for (key, member) in members.iter_mut() {
                let at = format!("{at}/{}", pointer_part(key));
                match member {
                    Value::Object(schemas) if NAMED_SCHEMAS.contains(&&**key) => {
                        for (name, schema) in schemas {
                            each_schema(schema, &format!("{at}/{}", pointer_part(name)), base, each)?;
                        }
                    }
                    _ if DATA.contains(&&**key) => {}
                    member => each_schema(member, &at, base, each)?,
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                each_schema(item, &format!("{at}/{index}"), base, each)?;
            }
        }
        _ => {}
    }
    Some(())
}

fn text<'s>(members: &'s Map<String, Value>, key: &str) -> Option<&'s str> {
    members.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn moved(mut schema: Value) -> Value {
        move_to(&mut schema, "#/p", &mut PlaceBytes::of_definition(0)).unwrap();
        schema
    }

    #[test]
    fn a_schema_that_would_need_much_memory_is_not_moved() {
        let anchors = |count: usize| -> Map<String, Value> {
            (0..count).map(|at| (format!("s{at}"), json!({"$anchor": format!("a{at}")}))).collect()
        };
        let references = json!([{"$ref": "#a0"}, {"$ref": "#a0"}]);
        let long = "x".repeat(20_000);
        let with_id = json!({"$id": format!("https://a.example/{long}"), "$defs": anchors(20)});
        let with_name = json!({"properties": {long: {"$defs": anchors(20)}}, "anyOf": references});
        for mut schema in [with_id, with_name] {
            let length = schema.to_string().len();
            assert_eq!(move_to(&mut schema, "#/p", &mut PlaceBytes::of_definition(length)), None);
        }
        let mut many = json!({"$id": "https://a.example/s", "$defs": anchors(5000), "anyOf": references});
        let length = many.to_string().len();
        assert_eq!(move_to(&mut many, "#/p", &mut PlaceBytes::of_definition(length)), Some(()));
    }

    #[test]
    fn references_in_a_schema_point_into_the_document() {
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
    fn a_schema_with_its_own_id_is_the_base_of_its_references() {
        let schema = moved(json!({
            "$id": "https://a.example/s/root",
            "$defs": {
                "A": {"$id": "item", "$defs": {"B": {"$anchor": "b"}}, "anyOf": [
                    {"$ref": "#/$defs/B"}, {"$ref": "#b"}, {"$ref": "#"}, {"$ref": "#/$defs/A"}, {"$ref": "root#/$defs/C"},
                    {"$ref": "/s/root"}
                ]},
                "C": {"$id": "https://b.example/c", "items": {"$ref": "item"}}
            },
            "anyOf": [{"$ref": "item"}, {"$ref": "https://a.example/s/item#b"}, {"$ref": "https://b.example/c"}, {"$ref": "#b"}]
        }));
        let expected = json!({
            "$defs": {
                "A": {"$defs": {"B": {}}, "anyOf": [
                    {"$ref": "#/p/$defs/A/$defs/B"}, {"$ref": "#/p/$defs/A/$defs/B"}, {"$ref": "#/p/$defs/A"}, {},
                    {"$ref": "#/p/$defs/C"}, {"$ref": "#/p"}
                ]},
                "C": {"items": {}}
            },
            "anyOf": [{"$ref": "#/p/$defs/A"}, {"$ref": "#/p/$defs/A/$defs/B"}, {"$ref": "#/p/$defs/C"}, {}]
        });
        assert_eq!(schema, expected);
    }

    #[test]
    fn no_reference_dangles() {
        let schema = moved(json!({
            "$id": "https://a.example/s", "title": "t",
            "anyOf": [
                {"$ref": "#/$defs/absent"}, {"$ref": "#/title"}, {"$ref": "#/$id"}, {"$ref": "#/$defs/a%20b"}, {"$ref": "#/$defs/%"},
                {"$ref": "#/anyOf/0"}
            ],
            "$defs": {"a b": true}
        }));
        let left = json!([{}, {}, {}, {"$ref": "#/p/$defs/a%20b"}, {}, {"$ref": "#/p/anyOf/0"}]);
        assert_eq!(schema["anyOf"], left);
    }

    #[test]
    fn data_in_a_schema_are_kept() {
        let schema = json!({"default": {"$ref": "#/x", "$id": "i"}, "enum": [{"$ref": "y"}], "const": {"$schema": "z"}});
        assert_eq!(moved(schema.clone()), schema);
    }
}
