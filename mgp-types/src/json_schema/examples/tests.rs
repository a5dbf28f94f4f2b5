//! Tests of examples made from schemas.

use super::{budget::Budget, schema_examples::examples_within, *};
use proptest::{collection::vec, option, prelude::*};
use serde_json::Value;
use serde_json::json;

#[test]
fn each_keyword_that_limits_values_is_followed() {
    for schema in [
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "b"]}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "integer", "minimum": 5}}}),
        json!({"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}, "n": {"type": "integer"}}, "required": ["n"]}}}),
        json!({"oneOf": [{"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"]}, {"type": "object", "properties": {"kind": {"const": "b"}, "n": {"type": "number"}}, "required": ["kind", "n"]}]}),
        json!({"allOf": [{"properties": {"a": {"type": "integer", "minimum": 3}}, "required": ["a"]}, {"properties": {"a": {"maximum": 9}}}]}),
        json!({"type": "string", "pattern": "^[A-Z]{2}-\\d{3,}(x|y)?$", "minLength": 10}),
        json!({"type": "string", "minLength": 40, "maxLength": 41}),
        json!({"type": "string", "maxLength": 2}),
        json!({"type": "integer", "minimum": 3, "multipleOf": 7}),
        json!({"type": "integer", "exclusiveMinimum": -5, "maximum": -2}),
        json!({"type": "integer", "maximum": -200}),
        json!({"type": "integer", "minimum": 9_223_372_036_854_775_000_i64}),
        json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}),
        json!({"type": "number", "multipleOf": 0.25, "minimum": 0.3}),
        json!({"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 3, "uniqueItems": true}),
        json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false}),
        json!({"type": "array", "contains": {"const": 7}, "minContains": 2}),
        json!({"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 3}),
        json!({"type": "object", "patternProperties": {"^x-": {"type": "boolean"}}, "additionalProperties": false, "minProperties": 2}),
        json!({"type": "object", "properties": {"a": {}, "b": {"type": "integer"}}, "dependentRequired": {"a": ["b"]}, "required": ["a"]}),
        json!({"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "maxProperties": 1}),
        json!({"type": ["string", "null"]}),
        json!({"type": "null"}),
        json!({"minimum": 4}),
        json!({"items": {"type": "boolean"}, "minItems": 1}),
        json!(true),
        json!({}),
    ] {
        assert!(!schema_examples(&schema).is_empty(), "{schema}");
    }
}

#[test]
fn a_format_is_followed_as_strict_readers_do() {
    for format in [
        "date-time",
        "date",
        "time",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "uri",
        "uri-reference",
        "uri-template",
        "uuid",
        "json-pointer",
        "relative-json-pointer",
        "regex",
        "iri",
        "idn-email",
    ] {
        let schema = json!({"type": "string", "format": format});
        let strict = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        let examples = schema_examples(&schema);
        assert!(
            !examples.is_empty() && examples.iter().all(|example| strict.is_valid(example)),
            "{format}: {examples:?}"
        );
    }
}

#[test]
fn examples_of_the_schema_come_first_if_they_fit() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "string", "examples": ["AAPL", "MSFT"]}, "b": {"type": "integer", "default": 7}, "c": {"type": "integer", "default": "none"}}});
    let examples = schema_examples(&schema);
    assert!(examples.iter().all(|example| example["c"] != json!("none")), "{examples:?}");
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "examples": ["AAPL", "MSFT"]}, "b": {"type": "integer", "default": 7}}});
    assert_eq!(schema_examples(&schema)[0], json!({"a": "AAPL", "b": 7}));
    assert_eq!(schema_examples(&schema)[2]["a"], json!("MSFT"));
}

#[test]
fn an_unsatisfiable_or_endless_schema_has_no_examples() {
    let deep = (0..100).fold(
        json!({"type": "string"}),
        |inner, _| json!({"type": "object", "properties": {"a": inner}, "required": ["a"]}),
    );
    let wide: serde_json::Map<_, _> = (0..2000)
        .map(|at| (format!("m{at}"), json!({"type": "object", "properties": {"x": {"type": "string"}}})))
        .collect();
    for schema in [
        json!(false),
        json!({"type": "integer", "minimum": 5, "maximum": 4}),
        json!({"type": "string", "pattern": "^(?!a)b$"}),
        json!({"type": "string", "minLength": 1_000_000}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
        json!({"$ref": "https://example.com/x"}),
        json!({"not": {}}),
        json!(7),
        deep,
    ] {
        assert_eq!(schema_examples(&schema), Vec::<Value>::new(), "{schema}");
    }
    let examples = schema_examples(&json!({"type": "object", "properties": wide}));
    assert!(!examples.is_empty() && examples.len() <= MAX_SCHEMA_EXAMPLES);
}

#[test]
fn each_pattern_is_compiled_once_and_the_work_is_bounded() {
    let names: Vec<String> = (0..2_000).map(|at| format!("name{at}")).collect();
    let patterns: serde_json::Map<_, _> =
        (0..100).map(|at| (format!("^[a-z]{{1,9}}x{at}$"), json!({"type": "string"}))).collect();
    let mut budget = Budget::new();
    examples_within(&json!({"required": names, "patternProperties": patterns}), &mut budget);
    assert!((1..=100).contains(&budget.compiled), "{}", budget.compiled);
    assert!((1..=50_000).contains(&budget.matched), "{}", budget.matched);
    assert!(budget.is_spent());
    // The same work for a hundred small objects compiles nothing again.
    let small = json!({"type": "object", "required": ["ax1"], "patternProperties": patterns});
    let many: serde_json::Map<_, _> =
        (0..50).map(|at| (format!("m{at}"), json!({"$ref": "#/$defs/small"}))).collect();
    let schema = json!({"type": "object", "properties": many, "$defs": {"small": small}});
    let mut budget = Budget::new();
    assert!(!examples_within(&schema, &mut budget).is_empty());
    assert!((1..=3).contains(&budget.compiled), "up to the one that fits: {}", budget.compiled);
}

#[test]
fn copying_for_examples_is_bounded_and_avoided_for_references() {
    let large: serde_json::Map<_, _> = (0..1_000)
        .map(|at| (format!("m{at}"), json!({"type": "string", "title": "x".repeat(500)})))
        .collect();
    let refers = |reference: &Value| {
        let each: serde_json::Map<_, _> = (0..20).map(|at| (format!("r{at}"), reference.clone())).collect();
        json!({"type": "object", "properties": each, "required": ["r1"], "$defs": {"large": {"type": "object", "properties": large}}})
    };
    let mut budget = Budget::new();
    let lone = refers(&json!({"$ref": "#/$defs/large", "description": "d"}));
    assert!(!examples_within(&lone, &mut budget).is_empty());
    assert!(!budget.is_spent());
    let mut budget = Budget::new();
    let joined = refers(&json!({"$ref": "#/$defs/large", "required": ["m1"]}));
    examples_within(&joined, &mut budget);
    assert!(budget.is_spent(), "half a megabyte for each reference is too much");
    let mut budget = Budget::new();
    let constant = json!({"type": "array", "items": {"const": "x".repeat(400_000)}, "minItems": 60});
    assert!(examples_within(&constant, &mut budget).is_empty() && budget.is_spent());
}

/// Satisfiable schemas.
fn schemas() -> impl Strategy<Value = Value> {
    let name = prop_oneof![Just("a"), Just("b"), Just("c"), Just("kind")];
    let leaf = prop_oneof![
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "null"})),
        Just(json!(true)),
        (-50_i64..50, 0_i64..100)
            .prop_map(|(low, more)| json!({"type": "integer", "minimum": low, "maximum": low + more})),
        (-50_i64..50, 1_i64..9)
            .prop_map(|(low, step)| json!({"type": "integer", "minimum": low, "multipleOf": step})),
        (-50_f64..50.0, 0.1_f64..9.0).prop_map(
            |(low, more)| json!({"type": "number", "exclusiveMinimum": low, "exclusiveMaximum": low + more})
        ),
        (0_u64..20, option::of(0_u64..20)).prop_map(|(least, more)| match more {
            Some(more) => json!({"type": "string", "minLength": least, "maxLength": least + more}),
            None => json!({"type": "string", "minLength": least}),
        }),
        prop_oneof![
            Just("^[a-f0-9]{8}$"),
            Just("^\\w+@\\w+$"),
            Just("[A-Z]{3,}\\d*"),
            Just("^(a|bc)+$"),
            Just("^v\\d+\\.\\d+$")
        ]
        .prop_map(|pattern| json!({"type": "string", "pattern": pattern})),
        vec(any::<i32>(), 1..4).prop_map(|values| json!({"enum": values})),
        any::<String>().prop_map(|value| json!({"const": value})),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            (vec((name.clone(), inner.clone()), 0..4), vec(name.clone(), 0..3)).prop_map(|(members, required)| {
                let required: std::collections::BTreeSet<_> = required.into_iter().collect();
                json!({"type": "object", "properties": members.into_iter().collect::<std::collections::BTreeMap<_, _>>(), "required": required})
            }),
            (inner.clone(), 0_u64..4).prop_map(|(items, least)| json!({"type": "array", "items": items, "minItems": least})),
            vec(inner.clone(), 1..3).prop_map(|branches| json!({"anyOf": branches})),
            inner.clone().prop_map(|target| json!({"type": "object", "properties": {"r": target}, "required": ["r"]})),
        ]
    })
}

proptest! {
    #[test]
    fn every_example_fits_and_every_satisfiable_schema_has_one(schema in schemas()) {
        let examples = schema_examples(&schema);
        let checker = jsonschema::validator_for(&schema).unwrap();
        prop_assert!(!examples.is_empty(), "{}", schema);
        prop_assert!(examples.iter().all(|example| checker.is_valid(example)));
        prop_assert_eq!(&examples, &schema_examples(&schema));
    }

    #[test]
    fn no_schema_makes_it_fail(text in "[{}\\[\\]:,\"a-z0-9$#/^*+.]{0,80}", pattern in ".{0,30}") {
        if let Ok(schema) = serde_json::from_str(&text) {
            let _ = schema_examples(&schema);
        }
        let _ = schema_examples(&json!({"type": "string", "pattern": pattern}));
    }
}
