//! Schemas in the document's dialect, which is 2020-12.
//!
//! One schema that violates the dialect makes the whole document invalid for strict readers, so each of them is checked.

use super::moved::{decoded, each_schema};
use mgp_types::json_schema::CompiledSchema;
use serde_json::{Value, json};

/// The path of a schema in the schema that it is checked in.
const CHECKED: &str = "#/$defs/schema";

/// Rewrites a schema for its path in a document: lists of `items`, as in draft-07, become `prefixItems`.
pub(super) fn rewrite(schema: &mut Value, place: &str) {
    let mut has_tuples = false;
    each_schema(schema, "", "", &mut |members, _, _| {
        has_tuples |= members.get("items").is_some_and(Value::is_array);
        Some(())
    });
    if !has_tuples {
        return;
    }
    let original = schema.clone();
    each_schema(schema, "", "", &mut |members, _, _| {
        if let Some(Value::String(reference)) = members.get_mut("$ref")
            && let Some(pointer) = reference.strip_prefix(place)
        {
            *reference = format!("{place}{}", rewritten(&original, pointer));
        }
        if members.get("items").is_some_and(Value::is_array) {
            let (tuple, rest) = (members.remove("items"), members.remove("additionalItems"));
            let tuple = tuple.filter(|tuple| tuple.as_array().is_some_and(|tuple| !tuple.is_empty()));
            members.extend(tuple.map(|tuple| ("prefixItems".to_owned(), tuple)));
            members.extend(rest.map(|rest| ("items".to_owned(), rest)));
        }
        Some(())
    });
}

/// Returns the pointer to the same schema after lists of `items` have become `prefixItems`.
fn rewritten(original: &Value, pointer: &str) -> String {
    let (mut at, mut rewritten) = (Some(original), String::new());
    for part in pointer.split('/').skip(1) {
        let is_tuple = at.and_then(|schema| schema.get("items")).is_some_and(Value::is_array);
        rewritten.push('/');
        rewritten.push_str(match part {
            "items" if is_tuple => "prefixItems",
            "additionalItems" if is_tuple => "items",
            part => part,
        });
        at = at.and_then(|schema| schema.pointer(&format!("/{}", decoded(part)?)));
    }
    rewritten
}

/// Returns whether a schema with a path in a document is valid in the dialect. The cost is bounded as for any schema.
pub(super) fn is_valid(schema: &Value, place: &str) -> bool {
    let mut checked = schema.clone();
    each_schema(&mut checked, "", "", &mut |members, _, _| {
        if let Some(Value::String(reference)) = members.get_mut("$ref")
            && let Some(pointer) = reference.strip_prefix(place)
        {
            *reference = format!("{CHECKED}{pointer}");
        }
        Some(())
    });
    // As a part of another schema: the compiler skips some members of a schema that allows everything.
    CompiledSchema::compile(&json!({ "$defs": { "schema": checked } })).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(mut schema: Value) -> Value {
        rewrite(&mut schema, "#/p");
        schema
    }

    #[test]
    fn a_draft_07_tuple_becomes_prefix_items_with_valid_references() {
        let schema = rewritten(json!({
            "properties": {
                "pair": {"type": "array", "items": [{"type": "string"}, {"items": [true]}], "additionalItems": {"type": "null"}},
                "none": {"items": [], "additionalItems": false},
                "items": {"items": {"type": "string"}}
            },
            "anyOf": [
                {"$ref": "#/p/properties/pair/items/0"}, {"$ref": "#/p/properties/pair/items/1/items/0"},
                {"$ref": "#/p/properties/pair/additionalItems"}, {"$ref": "#/p/properties/items/items"}
            ]
        }));
        let expected = json!({
            "properties": {
                "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"prefixItems": [true]}], "items": {"type": "null"}},
                "none": {"items": false},
                "items": {"items": {"type": "string"}}
            },
            "anyOf": [
                {"$ref": "#/p/properties/pair/prefixItems/0"}, {"$ref": "#/p/properties/pair/prefixItems/1/prefixItems/0"},
                {"$ref": "#/p/properties/pair/items"}, {"$ref": "#/p/properties/items/items"}
            ]
        });
        assert_eq!(schema, expected);
        assert!(is_valid(&schema, "#/p"));
    }

    #[test]
    fn data_that_look_like_a_tuple_are_kept() {
        let schema = json!({
            "default": {"items": [1]},
            "properties": {"a": {"const": {"items": [1]}}},
            "dependentRequired": {"items": ["a"]},
            "dependencies": {"items": ["a"]}
        });
        assert_eq!(rewritten(schema.clone()), schema);
    }

    #[test]
    fn a_schema_is_valid_whatever_its_patterns_need() {
        for valid in [
            json!(true),
            json!({"type": "object", "properties": {"a": {"pattern": "^(?!x)"}, "b": {"$ref": "#/p"}}}),
        ] {
            assert!(is_valid(&valid, "#/p"), "{valid}");
        }
        for invalid in [json!(null), json!({"title": 5}), json!({"pattern": 5}), json!({"items": [true]})] {
            assert!(!is_valid(&invalid, "#/p"), "{invalid}");
        }
    }
}
