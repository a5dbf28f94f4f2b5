//! The references of a schema, which must lead to a place within it: nobody fetches another one.

use serde_json::Value;
use std::borrow::Cow;

/// Keywords whose values are data and no schemas.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];

/// Returns a `$ref` of a schema that leads to no place in the schema.
pub(super) fn dangling_reference(root: &Value) -> Option<&str> {
    let mut all = Schemas::default();
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    match (key.as_str(), member) {
                        ("$ref", Value::String(reference)) => all.references.push(reference),
                        ("$id" | "id", Value::String(id)) => all.ids.push((id.trim_end_matches('#'), value)),
                        ("$anchor" | "$dynamicAnchor", Value::String(anchor)) => all.anchors.push(anchor),
                        (key, _) if DATA.contains(&key) => {}
                        _ => open.push(member),
                    }
                }
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    all.references.iter().find(|reference| !all.has(root, reference)).copied()
}

#[derive(Default)]
struct Schemas<'a> {
    references: Vec<&'a str>,
    /// The schemas that have an address of their own.
    ids: Vec<(&'a str, &'a Value)>,
    anchors: Vec<&'a str>,
}

impl Schemas<'_> {
    fn has(&self, root: &Value, reference: &str) -> bool {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let document = match address {
            "" => Some(root),
            _ => self.ids.iter().find(|(id, _)| *id == address).map(|(_, schema)| *schema),
        };
        let Some(document) = document else { return false };
        if fragment.is_empty() {
            return true;
        }
        let fragment = percent_decoded(fragment);
        // A schema with an address of its own may mean itself by a place that begins with `#`.
        if fragment.starts_with('/') {
            return document.pointer(&fragment).is_some()
                || address.is_empty()
                    && self.ids.iter().any(|(_, schema)| schema.pointer(&fragment).is_some());
        }
        self.anchors.contains(&&*fragment)
            || self.ids.iter().any(|(id, _)| id.strip_prefix('#') == Some(&*fragment))
    }
}

/// Decodes `%XX` in a fragment. A fragment that cannot be decoded stays as it is.
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
    fn a_reference_that_leads_nowhere_is_found_and_data_holds_none() {
        for (schema, dangling) in [
            (json!({"$ref": "#"}), None),
            (json!({"$defs": {"a b": {}}, "x": {"$ref": "#/$defs/a%20b"}}), None),
            (json!({"$defs": {"a": {"$anchor": "A"}}, "$ref": "#A"}), None),
            (json!({"$defs": {"a": {"$id": "http://x/a"}}, "$ref": "http://x/a"}), None),
            (json!({"$defs": {"a": {"$id": "http://x/a", "$ref": "#/$defs/b", "$defs": {"b": {}}}}}), None),
            (json!({"definitions": {"a": {"$id": "#a"}}, "$ref": "#a"}), None),
            (json!({"enum": [{"$ref": "#/none"}], "properties": {"$ref": {"type": "string"}}}), None),
            (json!({"$ref": "#/$defs/none"}), Some("#/$defs/none")),
            (json!({"items": [{"$ref": "other.json"}]}), Some("other.json")),
            (json!({"$ref": "#none"}), Some("#none")),
            (json!({"$ref": "https://example.com/schema"}), Some("https://example.com/schema")),
        ] {
            assert_eq!(dangling_reference(&schema), dangling, "{schema}");
        }
    }
}
