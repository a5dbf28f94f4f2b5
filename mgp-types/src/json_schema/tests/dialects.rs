//! The differences between draft-07 and 2020-12, and the choice between the two for a schema.

use super::support::{fits, refused, told};
use crate::json_schema::{CompiledSchema, Dialect, SchemaError};
use serde_json::{Value, json};

const DRAFT07: &str = "http://json-schema.org/draft-07/schema#";
const DRAFT202012: &str = "https://json-schema.org/draft/2020-12/schema";

fn in_dialect(dialect: &str, schema: &Value) -> Value {
    let mut schema = schema.clone();
    schema["$schema"] = dialect.into();
    schema
}

#[test]
fn a_schema_without_a_dialect_follows_2020_12() {
    assert_eq!(Dialect::of(&json!({})), Ok(Dialect::Draft202012));
    for named in [DRAFT202012, "https://json-schema.org/draft/2020-12/schema#"] {
        assert_eq!(Dialect::of(&json!({"$schema": named})), Ok(Dialect::Draft202012));
    }
    for named in
        [DRAFT07, "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema#"]
    {
        assert_eq!(Dialect::of(&json!({"$schema": named})), Ok(Dialect::Draft07));
    }
}

#[test]
fn an_unknown_dialect_is_refused_by_name() {
    for named in ["https://example.test/my-dialect", "http://json-schema.org/draft-04/schema#", ""] {
        let error = refused(&json!({"$schema": named, "type": "object"}));
        assert_eq!(error, SchemaError::Dialect(named.to_owned()));
        assert!(error.to_string().starts_with(&format!("unknown $schema {named:?}: expected ")), "{error}");
    }
    assert_eq!(refused(&json!({"$schema": 7})), SchemaError::Dialect("7".to_owned()));
    let mixed = json!({"$defs": {"old": {"$id": "old", "$schema": DRAFT07}}, "properties": {"a": true}});
    assert_eq!(refused(&mixed), SchemaError::MixedDialects(DRAFT07.to_owned()));
}

#[test]
fn a_list_of_items_is_prefix_items_in_2020_12() {
    let (pair, wrong) = (json!(["a", 1]), json!([1, "a"]));
    let new = in_dialect(DRAFT202012, &json!({"prefixItems": [{"type": "string"}, {"type": "integer"}]}));
    let old = in_dialect(DRAFT07, &json!({"items": [{"type": "string"}, {"type": "integer"}]}));
    for schema in [&new, &old] {
        assert!(fits(schema, &pair) && !fits(schema, &wrong), "{schema}");
    }
    // A keyword of the other dialect has no effect.
    assert!(fits(&in_dialect(DRAFT07, &json!({"prefixItems": [{"type": "string"}]})), &wrong));
    // 2020-12 has one schema there.
    assert!(matches!(
        refused(&in_dialect(DRAFT202012, &json!({"items": [{"type": "string"}]}))),
        SchemaError::Invalid(_)
    ));
}

#[test]
fn excess_items_are_reported_in_both_dialects() {
    let old = in_dialect(DRAFT07, &json!({"items": [{"type": "string"}], "additionalItems": false}));
    assert_eq!(told(&old, r#"["a",1,2]"#).unwrap(), r#"["a",1,2] has more than 1 items"#);
    let new = json!({"prefixItems": [{"type": "string"}], "items": false});
    assert!(fits(&new, &json!(["a"])));
    assert!(told(&new, r#"["a",1]"#).is_some());
}

#[test]
fn definitions_and_defs_are_found_in_both_dialects() {
    let schema = |holder: &str| json!({"properties": {"a": {"$ref": format!("#/{holder}/name")}}, holder: {"name": {"type": "string"}}});
    for dialect in [DRAFT07, DRAFT202012] {
        for holder in ["definitions", "$defs"] {
            let schema = in_dialect(dialect, &schema(holder));
            assert!(fits(&schema, &json!({"a": "x"})) && !fits(&schema, &json!({"a": 1})), "{schema}");
        }
    }
}

#[test]
fn siblings_of_a_reference_count_only_in_2020_12() {
    let schema = json!({
        "properties": {"a": {"$ref": "#/$defs/n", "maximum": 5}},
        "$defs": {"n": {"type": "integer"}},
    });
    assert!(!fits(&in_dialect(DRAFT202012, &schema), &json!({"a": 7})));
    assert!(fits(&in_dialect(DRAFT07, &schema), &json!({"a": 7})));
}

#[test]
fn dependencies_have_two_forms() {
    let (whole, half) = (json!({"card": 1, "address": "x"}), json!({"card": 1}));
    for schema in [
        in_dialect(DRAFT07, &json!({"dependencies": {"card": ["address"]}})),
        in_dialect(DRAFT07, &json!({"dependencies": {"card": {"required": ["address"]}}})),
        json!({"dependentRequired": {"card": ["address"]}}),
        json!({"dependentSchemas": {"card": {"required": ["address"]}}}),
    ] {
        assert!(fits(&schema, &whole) && !fits(&schema, &half), "{schema}");
    }
}

#[test]
fn unevaluated_members_are_found_through_all_of() {
    let schema = json!({
        "allOf": [{"properties": {"a": true}}, {"$ref": "#/$defs/b"}],
        "unevaluatedProperties": false,
        "$defs": {"b": {"properties": {"b": true}}},
    });
    assert!(fits(&schema, &json!({"a": 1, "b": 2})));
    assert!(told(&schema, r#"{"a":1,"c":2}"#).unwrap().contains("'c'"));
}

#[test]
fn formats_and_encodings_are_annotations_in_both_dialects() {
    for dialect in [DRAFT07, DRAFT202012] {
        for schema in [
            json!({"format": "email"}),
            json!({"format": "date-time"}),
            json!({"contentEncoding": "base64", "contentMediaType": "application/json"}),
        ] {
            assert!(fits(&in_dialect(dialect, &schema), &json!("*")), "{schema}");
        }
    }
}

#[test]
fn an_empty_schema_needs_no_reading() {
    for schema in [
        json!(true),
        json!({}),
        json!({"type": "object"}),
        json!({"type": "object", "properties": {}, "$schema": DRAFT07, "description": "none", "required": []}),
    ] {
        assert!(CompiledSchema::compile(&schema).unwrap().is_trivial(), "{schema}");
    }
    for schema in
        [json!(false), json!({"type": "string"}), json!({"type": "object", "additionalProperties": false})]
    {
        assert!(!CompiledSchema::compile(&schema).unwrap().is_trivial(), "{schema}");
    }
    assert!(
        fits(&json!({}), &json!(7))
            && !fits(&json!({"type": "object"}), &json!(7))
            && !fits(&json!(false), &json!(7))
    );
    assert_eq!(refused(&json!([])).to_string(), "expected an object or a boolean, found an array");
}
