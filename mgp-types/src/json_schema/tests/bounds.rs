//! The bounds on the size of a schema.

use super::support::{compile, refused};
use crate::json_schema::{SchemaError, limits};
use serde_json::{Value, json};

fn list(len: usize, item: impl Fn(usize) -> Value) -> Value {
    Value::Array((0..len).map(item).collect())
}

#[test]
fn the_length_of_a_schema_is_bounded() {
    let around = json!({"const": ""}).to_string().len();
    let schema = |len: usize| json!({"const": "x".repeat(len - around)});
    compile(&schema(limits::SCHEMA_BYTES));
    let expected = SchemaError::TooLarge { what: "bytes", limit: limits::SCHEMA_BYTES as u64 };
    assert_eq!(refused(&schema(limits::SCHEMA_BYTES + 1)), expected);
    assert_eq!(expected.to_string(), "too large: bytes: expected at most 1048576");
}

#[test]
fn the_number_of_subschemas_is_bounded() {
    // The schema itself, and those that no reference leads to.
    let schema = |len: usize| {
        let defs: serde_json::Map<_, _> =
            (0..len - 2).map(|n| (n.to_string(), json!({"type": "string"}))).collect();
        json!({"properties": {"a": true}, "$defs": defs})
    };
    compile(&schema(limits::SUBSCHEMAS));
    let expected = SchemaError::TooLarge { what: "schemas in it", limit: limits::SUBSCHEMAS as u64 };
    assert_eq!(refused(&schema(limits::SUBSCHEMAS + 1)), expected);
}

#[test]
fn the_number_of_schemas_for_one_value_is_bounded() {
    let most = usize::try_from(limits::APPLIED_SCHEMAS).unwrap();
    let schema = |len: usize| json!({"anyOf": list(len - 1, |n| json!({"const": n}))});
    compile(&schema(most));
    assert!(matches!(
        refused(&schema(most + 1)),
        SchemaError::TooLarge { limit: limits::APPLIED_SCHEMAS, .. }
    ));
}

#[test]
fn the_number_of_references_to_another_is_bounded() {
    let chain = |len: usize| {
        let mut defs: serde_json::Map<_, _> =
            (0..len).map(|n| (format!("d{n}"), json!({"$ref": format!("#/$defs/d{}", n + 1)}))).collect();
        defs.insert(format!("d{len}"), json!({"type": "string"}));
        json!({"$defs": defs, "items": {"$ref": "#/$defs/d0"}})
    };
    // The first of them is the schema of the items.
    compile(&chain(limits::APPLIED_DEPTH - 1));
    for len in [limits::APPLIED_DEPTH, 5000] {
        let error = refused(&chain(len));
        assert!(
            matches!(error, SchemaError::TooLarge { limit, .. } if limit == limits::APPLIED_DEPTH as u64),
            "{error}"
        );
    }
}

#[test]
fn the_number_of_patterns_is_bounded() {
    let schema = |len: usize| json!({"items": {"anyOf": list(len, |n| json!({"pattern": format!("a{n}")}))}});
    compile(&schema(limits::PATTERNS));
    let expected = SchemaError::TooLarge { what: "regular expressions", limit: limits::PATTERNS as u64 };
    assert_eq!(refused(&schema(limits::PATTERNS + 1)), expected);
}
