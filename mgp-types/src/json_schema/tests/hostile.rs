//! Schemas and values that try to use up time, memory or stack. A test here that does not end, or that overflows its stack, has
//! failed.

use super::support::{compile, fits, refused, told};
use crate::json::{MAX_DEPTH, RawJson};
use crate::json_schema::SchemaError;
use serde_json::{Value, json};

fn nested(levels: usize, inner: Value, around: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(inner, |inner, _| around(inner))
}

/// Runs on a stack of the size that the runtime's threads have.
fn on_a_worker(test: fn()) {
    on_a_stack(2 << 20, test);
}

fn on_a_stack(bytes: usize, test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(bytes).spawn(test).unwrap().join().unwrap();
}

#[test]
fn the_deepest_arguments_are_checked_on_a_small_stack() {
    on_a_worker(|| {
        let tree = json!({
            "type": "object",
            "properties": {"c": {"anyOf": [{"type": "integer"}, {"$ref": "#"}]}},
            "additionalProperties": false,
        });
        let deep = |inner| nested(MAX_DEPTH - 1, inner, |inner| json!({"c": inner}));
        assert!(fits(&tree, &deep(json!(1))));
        let wrong = told(&tree, &deep(json!("x")).to_string()).unwrap();
        assert!(wrong.contains("is not valid under any of the schemas"), "{wrong}");
    });
}

#[test]
fn the_deepest_schema_is_compiled_on_a_small_stack() {
    on_a_worker(|| {
        let deep = |levels| nested(levels, json!({"type": "integer"}), |inner| json!({"items": inner}));
        let value = |inner| nested(127, inner, |inner| json!([inner]));
        assert!(fits(&deep(127), &value(json!(1))));
        assert!(!fits(&deep(127), &value(json!("x"))));
        let expected = SchemaError::TooLarge { what: "levels of nesting", limit: 128 };
        assert_eq!(refused(&deep(128)), expected);
    });
}

#[test]
fn a_check_that_would_overflow_the_stack_is_given_up() {
    // Every level of the value goes through almost as many schemas as may follow each other.
    let inner = json!({"properties": {"c": {"$ref": "#"}}});
    let around: [fn(Value) -> Value; 5] = [
        |inner| json!({"allOf": [inner]}),
        |inner| json!({"anyOf": [{"type": "string"}, inner]}),
        |inner| json!({"oneOf": [{"type": "null"}, inner]}),
        |inner| json!({"if": {"type": "null"}, "then": false, "else": inner}),
        |inner| json!({"allOf": [inner, true], "minProperties": 0, "unevaluatedProperties": false}),
    ];
    let deep = nested(MAX_DEPTH - 2, json!({}), |inner| json!({"c": inner})).to_string();
    for around in around {
        let schema = compile(&nested(60, inner.clone(), around));
        let value = RawJson::parse(deep.clone()).unwrap();
        // Half of what the runtime's threads have.
        on_a_stack(1 << 20, move || {
            let refused = schema.check(&value).unwrap_err().to_string();
            assert!(refused.starts_with("too much to check"), "{refused}");
        });
    }
}

#[test]
fn many_copies_of_one_schema_are_refused() {
    // Each definition applies the next one twice: 2^25 schemas for one value.
    let mut defs = serde_json::Map::new();
    for n in 0..25 {
        let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
        defs.insert(format!("d{n}"), json!({"anyOf": [next, next]}));
    }
    defs.insert("d25".to_owned(), json!({"type": "string"}));
    let schema = json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": defs});
    assert!(matches!(refused(&schema), SchemaError::TooLarge { limit: 4096, .. }));
}

#[test]
fn a_check_that_doubles_with_each_level_ends() {
    let deep = |inner| nested(100, inner, |inner| json!({"c": inner}));
    // Through a reference to itself, and through as many definitions as there are levels.
    let mut defs = serde_json::Map::new();
    for n in 0..100 {
        let next = json!({"properties": {"c": {"$ref": format!("#/$defs/d{}", n + 1)}}});
        defs.insert(format!("d{n}"), json!({"allOf": [next, next], "anyOf": [{"required": ["no"]}, next]}));
    }
    defs.insert("d100".to_owned(), json!({"type": "integer"}));
    for schema in [
        json!({"anyOf": [
            {"type": "integer"},
            {"properties": {"c": {"$ref": "#"}}, "required": ["c", "d"]},
            {"properties": {"c": {"$ref": "#"}}, "required": ["c", "e"]},
        ]}),
        json!({"type": ["object", "integer"], "allOf": [
            {"properties": {"c": {"$ref": "#"}}},
            {"properties": {"c": {"$ref": "#"}}},
        ]}),
        json!({"$ref": "#/$defs/d0", "$defs": defs}),
    ] {
        let schema = compile(&schema);
        for inner in [json!(1), json!("x")] {
            let value = RawJson::parse(deep(inner).to_string()).unwrap();
            if let Err(mismatch) = schema.check(&value) {
                assert!(mismatch.to_string().len() < 5000);
            }
        }
    }
}

#[test]
fn a_check_past_its_bound_is_a_refusal() {
    let mut defs = serde_json::Map::new();
    for n in 0..100 {
        let next = json!({"properties": {"c": {"$ref": format!("#/$defs/d{}", n + 1)}}});
        defs.insert(format!("d{n}"), json!({"allOf": [next, next]}));
    }
    defs.insert("d100".to_owned(), json!(true));
    let schema = json!({"$ref": "#/$defs/d0", "$defs": defs});
    let deep = nested(100, json!(1), |inner| json!({"c": inner}));
    let answer = told(&schema, &deep.to_string()).unwrap();
    assert!(
        answer.starts_with("too much to check: expected a value that the schema is checked against in "),
        "{answer}"
    );
    // The same schema is fine for a value that is not that deep.
    assert!(fits(&schema, &json!({"c": {"c": {"c": 1}}})));
}

#[test]
fn patterns_are_followed_in_linear_time() {
    let text = format!("{}!", "a".repeat(50_000));
    for pattern in ["^(a+)+$", "^(a|a)*$", "^(([a-z])+.)+[A-Z]([a-z])+$"] {
        assert!(!fits(&json!({"pattern": pattern}), &json!(text)), "{pattern}");
        assert!(!fits(
            &json!({"patternProperties": {pattern: true}, "additionalProperties": false}),
            &json!({&text: 1})
        ));
    }
}

#[test]
fn nonlinear_patterns_are_refused() {
    for pattern in ["^(?!0)[0-9]+$", r"^(a)\1$", "(?<=a)b", "(((a{1000}){1000}){1000})", "("] {
        for schema in [
            json!({"properties": {"a": {"pattern": pattern}}}),
            json!({"patternProperties": {pattern: true}, "type": "object"}),
        ] {
            assert!(matches!(refused(&schema), SchemaError::Invalid(_)), "{pattern}");
        }
    }
}

#[test]
fn of_many_wrong_values_the_first_ones_are_reported() {
    let schema = json!({"items": {"type": "string"}});
    let json = format!("[{}1]", "1,".repeat(300_000));
    let text = told(&schema, &json).unwrap();
    assert_eq!(text, r#"/0: 1 is not of type "string""#);
    let branches = json!({"anyOf": [{"items": {"type": "string"}}, {"items": {"type": "object"}}]});
    assert!(told(&branches, &json).unwrap().len() < 5000);
}

#[test]
fn a_long_list_of_valid_values_is_accepted() {
    let item = json!({"oneOf": [{"type": "string"}, {"type": "null"}, {"type": "integer", "minimum": 0, "maximum": 9}]});
    let json = format!("[{}1]", "1,".repeat(300_000));
    assert_eq!(told(&json!({"type": "array", "items": item}), &json), None);
    assert_eq!(told(&json!({"uniqueItems": false, "contains": {"const": 1}}), &json), None);
    let texts = json!((0..20_000).map(|n| n.to_string()).collect::<Vec<_>>());
    assert!(fits(&json!({"uniqueItems": true, "items": {"enum": texts}}), &json!(["7", "8"])));
    assert!(fits(&json!({"uniqueItems": true}), &texts));
}
