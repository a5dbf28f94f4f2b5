//! The conversion of a schema, keyword by keyword.

use super::{
    hidden::hidden_names,
    keywords::{allow_null, choices, convert_values},
    table::{Conversion, SchemaTable},
};
use crate::document::reference_of;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The keywords that say nothing about the values that a schema allows.
const ANNOTATIONS: &[&str] = &["title", "description", "default", "deprecated", "examples"];

/// The keywords whose value is one schema.
const SINGLE: &[&str] = &[
    "items",
    "additionalProperties",
    "not",
    "contains",
    "propertyNames",
    "if",
    "then",
    "else",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contentSchema",
];

/// The keywords whose value is a list of schemas.
const LISTS: &[&str] = &["allOf", "anyOf", "oneOf", "prefixItems"];

/// The keywords whose value is a map of schemas, `properties` excepted.
const MAPS: &[&str] = &["patternProperties", "dependentSchemas"];

impl<'d> SchemaTable<'d> {
    /// Converts a schema. Keywords that JSON Schema does not have, or whose values are not valid, are left out.
    pub(crate) fn convert(&mut self, schema: &'d Value) -> Conversion {
        self.convert_without(schema, &BTreeSet::new())
    }

    /// Converts a schema without members, which are not required either.
    pub(super) fn convert_without(&mut self, schema: &'d Value, hidden: &BTreeSet<String>) -> Conversion {
        let mut uses = Vec::new();
        let schema = self.any(schema, hidden, &mut uses);
        Conversion { schema, uses, size: 0 }
    }

    /// Converts a schema from which members of an enclosing `allOf` are hidden.
    fn any(&mut self, schema: &'d Value, hidden: &BTreeSet<String>, uses: &mut Vec<usize>) -> Value {
        if !self.spend(1) {
            return json!({});
        }
        match schema {
            Value::Bool(_) => schema.clone(),
            Value::Object(members) => match reference_of(schema) {
                Some(reference) => self.reference(reference, schema, members, uses),
                None => {
                    let out = self.object(members, hidden, uses);
                    Value::Object(allow_null(schema, out))
                }
            },
            _ => json!({}),
        }
    }

    /// Converts a reference. Its description and default are kept, which OpenAPI 3.1 allows and 3.0 ignores.
    fn reference(
        &mut self,
        reference: &str,
        schema: &'d Value,
        members: &'d Map<String, Value>,
        uses: &mut Vec<usize>,
    ) -> Value {
        let mut out = Map::new();
        convert_values(members, &mut out);
        out.retain(|name, _| ANNOTATIONS.contains(&name.as_str()));
        match self.definition_of(reference) {
            Some(index) => {
                uses.push(index);
                out.insert("$ref".to_owned(), format!("#/$defs/{}", self.name(index)).into());
            }
            None => {
                let note = "The schema of this value is not part of the document.";
                out.entry("description").or_insert_with(|| note.into());
            }
        }
        Value::Object(allow_null(schema, out))
    }

    fn object(
        &mut self,
        schema: &'d Map<String, Value>,
        inherited: &BTreeSet<String>,
        uses: &mut Vec<usize>,
    ) -> Map<String, Value> {
        let mut hidden = hidden_names(schema, self);
        hidden.extend(inherited.iter().cloned());
        let nothing = BTreeSet::new();
        let mut out = Map::new();
        convert_values(schema, &mut out);
        self.check_patterns(&mut out);
        for name in SINGLE {
            match schema.get(*name) {
                // A tuple, in the manner of earlier drafts.
                Some(Value::Array(items)) if *name == "items" => {
                    let items = items.iter().map(|item| self.any(item, &nothing, uses)).collect();
                    out.insert("prefixItems".to_owned(), Value::Array(items));
                }
                Some(part @ (Value::Object(_) | Value::Bool(_))) => {
                    let part = self.any(part, &nothing, uses);
                    out.insert((*name).to_owned(), part);
                }
                _ => {}
            }
        }
        for name in LISTS {
            let Some(parts) = schema.get(*name).and_then(Value::as_array).filter(|parts| !parts.is_empty())
            else {
                continue;
            };
            let shares_members = *name != "prefixItems";
            let hidden = if shares_members { &hidden } else { &nothing };
            let parts = parts.iter().map(|part| self.part(part, hidden, uses)).collect();
            out.insert((*name).to_owned(), Value::Array(parts));
        }
        for name in MAPS {
            if let Some(Value::Object(parts)) = schema.get(*name) {
                let parts = parts.iter().map(|(name, part)| (name.clone(), self.any(part, &nothing, uses)));
                let mut parts: Map<String, Value> = parts.collect();
                if *name == "patternProperties" {
                    parts.retain(|pattern, _| self.patterns.is_usable(pattern));
                }
                out.insert((*name).to_owned(), Value::Object(parts));
            }
        }
        if let Some(Value::Object(properties)) = schema.get("properties") {
            let properties = properties.iter().filter(|(name, _)| !hidden.contains(*name));
            let properties = properties.map(|(name, part)| (name.clone(), self.any(part, &nothing, uses)));
            let properties: Map<String, Value> = properties.collect();
            out.insert("properties".to_owned(), Value::Object(properties));
        }
        if let Some(Value::Array(required)) = schema.get("required") {
            let names: BTreeSet<&str> = required.iter().filter_map(Value::as_str).collect();
            let names: Vec<&str> = names.into_iter().filter(|name| !hidden.contains(*name)).collect();
            if !names.is_empty() {
                out.insert("required".to_owned(), json!(names));
            }
        }
        choose_items(schema, &mut out);
        unwrap_single_part(&mut out);
        self.loosen(&mut out);
        out
    }

    /// Converts a part of `allOf`, `anyOf` or `oneOf`. A target that requires a hidden member becomes a definition of its
    /// own, without that member.
    fn part(&mut self, part: &'d Value, hidden: &BTreeSet<String>, uses: &mut Vec<usize>) -> Value {
        let Some(reference) = reference_of(part).filter(|_| !hidden.is_empty()) else {
            return self.any(part, hidden, uses);
        };
        let Ok(target) = self.references.follow(part) else { return self.any(part, hidden, uses) };
        let required = target.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        let absent: BTreeSet<String> =
            required.filter(|name| hidden.contains(*name)).map(str::to_owned).collect();
        if absent.is_empty() || !self.spend(absent.len()) {
            return self.any(part, hidden, uses);
        }
        let index = self.variant_of(reference, target, absent);
        uses.push(index);
        json!({"$ref": format!("#/$defs/{}", self.name(index))})
    }

    /// Removes a pattern against which values cannot be checked.
    fn check_patterns(&mut self, out: &mut Map<String, Value>) {
        let is_usable = |pattern: &Value| pattern.as_str().is_some_and(|text| self.patterns.is_usable(text));
        if !out.get("pattern").is_none_or(is_usable) {
            out.remove("pattern");
        }
    }

    /// Lets results have members that the document does not name: APIs add members without a new version.
    fn loosen(&self, out: &mut Map<String, Value>) {
        if self.direction == super::Direction::Output {
            for name in ["additionalProperties", "unevaluatedProperties"] {
                if out.get(name) == Some(&Value::Bool(false)) {
                    out.remove(name);
                }
            }
        }
    }
}

/// Replaces `allOf` by its only part, if all else are annotations: documents annotate a reference in this way.
fn unwrap_single_part(out: &mut Map<String, Value>) {
    let is_plain = |part: &Map<String, Value>| part.keys().all(|name| ANNOTATIONS.contains(&name.as_str()));
    let Some(Value::Array(parts)) = out.get("allOf") else { return };
    let others = out.iter().filter(|(name, _)| *name != "allOf");
    let mut merged: Map<String, Value> = others.map(|(name, value)| (name.clone(), value.clone())).collect();
    if !is_plain(&merged) {
        return;
    }
    let mut single = None;
    for part in parts {
        match part {
            Value::Object(part) if is_plain(part) => {
                for (name, value) in part {
                    merged.entry(name.clone()).or_insert_with(|| value.clone());
                }
            }
            Value::Object(part) if single.is_none() => single = Some(part.clone()),
            _ => return,
        }
    }
    let mut whole = single.unwrap_or_default();
    whole.extend(merged);
    *out = whole;
}

/// Moves choices of items, which some documents put next to the type of their array, to the schema of the items.
fn choose_items(schema: &Map<String, Value>, out: &mut Map<String, Value>) {
    if out.get("type") != Some(&json!("array")) || out.contains_key("enum") {
        return;
    }
    let (Some(values), Some(Value::Object(items))) = (schema.get("enum"), out.get_mut("items")) else {
        return;
    };
    if !items.contains_key("enum")
        && !items.contains_key("$ref")
        && let Some(choices) = choices(values, items.get("type"))
    {
        items.insert("enum".to_owned(), choices);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{document::References, schema::Direction};

    fn convert(root: &Value, direction: Direction) -> Value {
        SchemaTable::new(References::new(root), direction).convert(&root["schema"]).schema
    }

    fn check(schema: &Value, expected: &Value) {
        let root = json!({"schema": schema, "a": {"type": "string"}});
        assert_eq!(convert(&root, Direction::Input), *expected, "{root}");
    }

    #[test]
    fn nested_schemas_are_converted_and_foreign_keywords_left_out() {
        check(
            &json!({"type": "array", "items": {"type": "string", "nullable": true, "xml": {}}, "x-a": 1}),
            &json!({"type": "array", "items": {"type": ["string", "null"]}}),
        );
        check(
            &json!({"type": "array", "enum": ["a"], "items": {"type": "string"}}),
            &json!({"type": "array", "items": {"type": "string", "enum": ["a"]}}),
        );
        check(
            &json!({"items": [{"type": "string"}, true]}),
            &json!({"prefixItems": [{"type": "string"}, true]}),
        );
        check(
            &json!({"properties": {"a": {"required": true}}, "$defs": {}}),
            &json!({"properties": {"a": {}}}),
        );
        check(&json!({"properties": {"a": 5}, "anyOf": []}), &json!({"properties": {"a": {}}}));
    }

    #[test]
    fn references_become_local_definitions() {
        check(
            &json!({"$ref": "#/a", "description": "b", "type": "x"}),
            &json!({"$ref": "#/$defs/a", "description": "b"}),
        );
        check(
            &json!({"allOf": [{"$ref": "#/a"}, {"description": "b"}], "description": "c"}),
            &json!({"$ref": "#/$defs/a", "description": "c"}),
        );
        check(
            &json!({"allOf": [{"$ref": "#/a"}], "nullable": true, "description": "c"}),
            &json!({"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}], "description": "c"}),
        );
        check(
            &json!({"allOf": [{"$ref": "#/a"}, {"minLength": 1}]}),
            &json!({"allOf": [{"$ref": "#/$defs/a"}, {"minLength": 1}]}),
        );
        check(
            &json!({"$ref": "#/a", "nullable": true}),
            &json!({"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}),
        );
        let note = "The schema of this value is not part of the document.";
        check(&json!({"$ref": "other.json"}), &json!({"description": note}));
    }

    #[test]
    fn read_only_members_are_not_sent_nor_required() {
        let schema =
            json!({"required": ["id", "name"], "properties": {"id": {"readOnly": true}, "name": {}}});
        check(&schema, &json!({"required": ["name"], "properties": {"name": {}}}));
    }

    #[test]
    fn a_hidden_member_is_not_required_by_another_part() {
        let root = json!({
            "base": {"type": "object", "properties": {"id": {"readOnly": true}}},
            "need": {"required": ["id", "a"]},
            "schema": {"allOf": [{"$ref": "#/base"}, {"$ref": "#/need"}]},
        });
        let mut table = SchemaTable::new(References::new(&root), Direction::Input);
        let conversion = table.convert(&root["schema"]);
        let expected = json!({"allOf": [{"type": "object", "properties": {}}, {"required": ["a"]}]});
        assert_eq!(table.assemble(conversion, 10_000).schema, expected);
        let expected = json!({"allOf": [{"$ref": "#/$defs/base"}, {"$ref": "#/$defs/need"}]});
        assert_eq!(convert(&root, Direction::Output), expected);
    }

    #[test]
    fn write_only_members_are_not_received() {
        let root = json!({"schema": {
            "properties": {"password": {"writeOnly": true}, "id": {"readOnly": true}}, "required": ["id", "password"],
            "additionalProperties": false
        }});
        assert_eq!(convert(&root, Direction::Output), json!({"properties": {"id": {}}, "required": ["id"]}));
    }
}
