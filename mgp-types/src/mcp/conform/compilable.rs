//! Finds schemas that hosts can compile: the keywords have valid values, and the references stay within the schema, because no other schema
//! is fetched.

use super::keywords::take_subschemas;
use serde_json::Value;
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ptr,
};

/// The most schemas in a schema that is sent to hosts.
const MOST_SCHEMAS: usize = 10_000;

/// Returns whether hosts can compile a schema. A schema with rare names or patterns may be rejected wrongly.
pub(super) fn is_compilable(root: &Value) -> bool {
    let mut schemas = Schemas::default();
    if schemas.read(root, root).is_none() {
        return false;
    }
    let mut next = 0;
    while let Some((document, reference)) = schemas.references.get(next).copied() {
        next += 1;
        // A reference can lead to a place where no keyword has a schema. The value there is compiled, too.
        let Some((target, document)) = schemas.target(document, reference) else { return false };
        if schemas.read(target, document).is_none() {
            return false;
        }
    }
    true
}

/// A place of a value in memory.
type Place = *const Value;

/// The schemas in a schema. A document is a schema with its own address, or the root.
#[derive(Default)]
struct Schemas<'a> {
    seen: HashSet<Place>,
    /// References, with the document that contains them.
    references: Vec<(&'a Value, &'a str)>,
    /// Documents by their address. A relative address is only known in the document around it.
    documents: HashMap<(Option<Place>, &'a str), &'a Value>,
    /// Schemas by their document and their name in it.
    anchors: HashMap<(Place, &'a str), &'a Value>,
}

impl<'a> Schemas<'a> {
    /// Reads a schema and those in it, each once. Returns `None` if they cannot be compiled.
    fn read(&mut self, schema: &'a Value, document: &'a Value) -> Option<()> {
        let (mut open, mut within) = (vec![(schema, document)], Vec::new());
        while let Some((schema, document)) = open.pop() {
            if !self.seen.insert(ptr::from_ref(schema)) {
                continue;
            }
            if self.seen.len() > MOST_SCHEMAS || !take_subschemas(schema, &mut within) {
                return None;
            }
            let text = move |key: &str| schema.get(key).and_then(Value::as_str);
            let document = match text("$id").map(|id| id.trim_end_matches('#')) {
                None | Some("") => document,
                Some(id) => match id.split_once('#') {
                    None => {
                        self.add_document(id, schema, document)?;
                        schema
                    }
                    // Until draft 6, this was the form of an anchor.
                    Some(("", name)) => {
                        self.add_anchor(name, schema, document)?;
                        document
                    }
                    Some(_) => return None,
                },
            };
            for name in ["$anchor", "$dynamicAnchor"].into_iter().filter_map(text) {
                self.add_anchor(name, schema, document)?;
            }
            self.references.extend(text("$ref").map(|reference| (document, reference)));
            open.extend(within.drain(..).map(|one| (one, document)));
        }
        Some(())
    }

    /// Adds a document. Returns `None` if another document has its address.
    fn add_document(&mut self, id: &'a str, schema: &'a Value, around: &'a Value) -> Option<()> {
        self.documents.insert((scope(id, around), id), schema).is_none().then_some(())
    }

    /// Adds the name of a schema. Returns `None` if another schema in the document has the name.
    fn add_anchor(&mut self, name: &'a str, schema: &'a Value, document: &'a Value) -> Option<()> {
        self.anchors.insert((ptr::from_ref(document), name), schema).is_none().then_some(())
    }

    /// Returns the target of a reference, and its document.
    fn target(&self, document: &'a Value, reference: &str) -> Option<(&'a Value, &'a Value)> {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let document = match address {
            "" => document,
            _ => self.documents.get(&(scope(address, document), address)).copied()?,
        };
        if fragment.is_empty() {
            return Some((document, document));
        }
        let fragment = percent_decoded(fragment);
        let target = if fragment.starts_with('/') {
            document.pointer(&fragment)
        } else {
            self.anchors.get(&(ptr::from_ref(document), &*fragment)).copied()
        };
        Some((target?, document))
    }
}

/// Returns the document in which an address is known; `None` stands for all.
fn scope(address: &str, around: &Value) -> Option<Place> {
    (!address.contains(':')).then_some(ptr::from_ref(around))
}

/// Decodes `%XX` in a fragment. A fragment that cannot be decoded is unchanged.
fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return text.into();
    }
    let (mut decoded, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((byte, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.filter(|_| *byte == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                rest = &after[2..];
            }
            None => {
                decoded.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8(decoded).map_or(text.into(), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_reference_has_one_target_in_its_document_and_none_in_data() {
        for schema in [
            json!({"$ref": "#"}),
            json!({"$defs": {"a b": {}}, "properties": {"x": {"$ref": "#/$defs/a%20b"}}}),
            json!({"$defs": {"a": {"$anchor": "A"}}, "$ref": "#A"}),
            json!({"$defs": {"a": {"$id": "http://x/a"}}, "$ref": "http://x/a"}),
            json!({"$defs": {"a": {"$id": "http://x/a", "$ref": "#/$defs/b", "$defs": {"b": {}}}}}),
            json!({"definitions": {"a": {"$id": "#a"}}, "$ref": "#a"}),
            json!({"$id": "s.json", "$ref": "s.json#/$defs/a", "$defs": {"a": {}}}),
            json!({"enum": [{"$ref": "#/none"}], "properties": {"$ref": {"type": "string"}}}),
            json!({"default": {"$ref": "#/none"}, "examples": [{"$ref": "#/none"}], "const": {"$id": "a"}}),
            json!({"components": {"a": {"type": "string"}}, "$ref": "#/components/a"}),
        ] {
            assert!(is_compilable(&schema), "{schema}");
        }
        for schema in [
            json!({"$ref": "#/$defs/none"}),
            json!({"prefixItems": [{"$ref": "other.json"}]}),
            json!({"$ref": "#none"}),
            json!({"$ref": "https://example.com/schema"}),
            json!({"properties": {"default": {"$ref": "#/$defs/none"}}}),
            json!({"properties": {"enum": {"$ref": "#/$defs/none"}}}),
            json!({"$defs": {"b": {}, "a": {"$id": "http://x/a", "$ref": "#/$defs/b"}}}),
            json!({"$defs": {"b": {"$id": "a"}, "a": {"$id": "a"}}}),
            json!({"$defs": {"b": {"$anchor": "a"}, "a": {"$dynamicAnchor": "a"}}}),
            json!({"components": {"a": {"type": "strin"}}, "$ref": "#/components/a"}),
            json!({"components": {"a": {"$ref": "#/none"}}, "$ref": "#/components/a"}),
            json!({"$ref": "#/type", "type": "object"}),
            json!({"x": {"y": {"$id": "a"}}, "$defs": {"a": {"$id": "a"}}}),
        ] {
            assert!(!is_compilable(&schema), "{schema}");
        }
    }

    #[test]
    fn a_schema_with_too_many_subschemas_is_not_read_to_its_end() {
        let schema = |count: usize| json!({"prefixItems": vec![json!({"$ref": "#"}); count]});
        assert!(is_compilable(&schema(MOST_SCHEMAS - 1)));
        assert!(!is_compilable(&schema(MOST_SCHEMAS)));
    }
}
