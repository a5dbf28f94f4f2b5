//! The places that references may lead to.

use super::support::{fits, refused};
use crate::json_schema::SchemaError;
use serde_json::json;

#[test]
fn references_within_the_schema_are_followed() {
    for schema in [
        json!({"properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "integer"}}}),
        json!({"properties": {"a": {"$ref": "#n"}}, "$defs": {"x": {"$anchor": "n", "type": "integer"}}}),
        json!({"properties": {"a": {"$dynamicRef": "#n"}}, "$defs": {"x": {"$dynamicAnchor": "n", "type": "integer"}}}),
        json!({"properties": {"a": {"$ref": "n.json"}}, "$defs": {"x": {"$id": "n.json", "type": "integer"}}}),
        json!({
            "$id": "https://schemas.test/whole.json",
            "properties": {"a": {"$ref": "https://schemas.test/parts/n.json#/$defs/n"}},
            "$defs": {"x": {"$id": "parts/n.json", "$defs": {"n": {"type": "integer"}}}},
        }),
        json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "properties": {"a": {"$ref": "#n"}},
            "definitions": {"x": {"$id": "#n", "type": "integer"}},
        }),
        // A place that no keyword leads to, and one with escapes.
        json!({"properties": {"a": {"$ref": "#/shared~1parts/n%20m"}}, "shared/parts": {"n m": {"type": "integer"}}}),
    ] {
        assert!(fits(&schema, &json!({"a": 1})) && !fits(&schema, &json!({"a": "x"})), "{schema}");
    }
}

#[test]
fn a_reference_outside_the_schema_is_refused_by_name() {
    for dialect in ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]
    {
        for reference in [
            "http://127.0.0.1:9/schema.json",
            "https://json-schema.org/draft/2020-12/schema",
            "http://json-schema.org/draft-07/schema#",
            "file:///etc/hostname",
            "other.json",
            "#/$defs/none",
            "#none",
            "http://[",
        ] {
            let schema = json!({"$schema": dialect, "properties": {"a": {"$ref": reference}}});
            let error = refused(&schema);
            assert_eq!(error, SchemaError::Outside { keyword: "$ref", reference: reference.to_owned() });
        }
    }
    let dynamic = refused(&json!({"properties": {"a": {"$dynamicRef": "https://schemas.test/a#b"}}}));
    assert_eq!(
        dynamic.to_string(),
        "$dynamicRef \"https://schemas.test/a#b\" leads out of the schema: expected a place within it; nothing is fetched"
    );
}

#[test]
fn nothing_is_fetched_for_a_reference() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}/schema.json", listener.local_addr().unwrap());
    for schema in [
        json!({"properties": {"a": {"$ref": address}}}),
        json!({"$id": address, "properties": {"a": {"$ref": "other.json"}}}),
        json!({"not-a-keyword": {"$ref": address}, "properties": {"a": {"$ref": "#/not-a-keyword"}}}),
    ] {
        assert!(matches!(refused(&schema), SchemaError::Outside { .. }), "{schema}");
    }
    // Data that no reference leads to.
    assert!(fits(&json!({"const": {"$ref": address}}), &json!({"$ref": address})));
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn a_member_of_that_name_is_not_a_reference() {
    let schema =
        json!({"properties": {"$ref": {"type": "string"}, "$id": {"type": "string"}}, "required": ["$ref"]});
    assert!(fits(&schema, &json!({"$ref": "http://127.0.0.1:9/"})) && !fits(&schema, &json!({"$ref": 1})));
}

#[test]
fn a_schema_may_refer_to_itself_for_a_part_of_the_value() {
    let tree = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#"}}},
        "required": ["name"],
    });
    assert!(fits(&tree, &json!({"name": "a", "children": [{"name": "b", "children": []}]})));
    assert!(!fits(&tree, &json!({"name": "a", "children": [{"name": "b", "children": [{}]}]})));
}

#[test]
fn a_reference_back_to_the_same_value_is_refused() {
    for (schema, reference) in [
        (json!({"$ref": "#"}), "#"),
        (json!({"allOf": [{"anyOf": [{"not": {"$ref": "#"}}]}]}), "#"),
        (
            json!({
                "$ref": "#/$defs/a",
                "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"if": {"$ref": "#/$defs/a"}}},
            }),
            "#/$defs/a",
        ),
        (json!({"properties": {"x": {"$anchor": "x", "oneOf": [{"$ref": "#x"}]}}}), "#x"),
        (json!({"dependentSchemas": {"x": {"$ref": "#"}}}), "#"),
    ] {
        let expected = SchemaError::Endless { keyword: "$ref", reference: reference.to_owned() };
        assert_eq!(refused(&schema), expected, "{schema}");
    }
    let dynamic = json!({"$dynamicAnchor": "a", "allOf": [{"$dynamicRef": "#a"}]});
    assert_eq!(
        refused(&dynamic),
        SchemaError::Endless { keyword: "$dynamicRef", reference: "#a".to_owned() }
    );
}
