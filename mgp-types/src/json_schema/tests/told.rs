//! The error texts for values that do not fit.

use super::support::told;
use crate::json_schema::limits::{ERROR_CHARS, ERRORS_TOLD};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

#[expect(clippy::needless_pass_by_value, reason = "a table of cases reads better")]
fn check(schema: Value, json: &str, expected: Expect) {
    expected.assert_eq(&told(&schema, json).unwrap_or_default());
}

#[test]
fn an_error_names_position_value_and_expectation() {
    let item =
        json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]});
    let schema = json!({
        "type": "object",
        "properties": {"items": {"type": "array", "items": item}, "kind": {"enum": ["a", "b"]}},
        "additionalProperties": false,
    });
    check(
        schema.clone(),
        r#"{"items":[{"n":1},{"n":"x"}]}"#,
        expect![[r#"/items/1/n: "x" is not of type "integer""#]],
    );
    check(schema.clone(), r#"{"items":[{"n":0}]}"#, expect!["/items/0/n: 0 is less than the minimum of 1"]);
    check(schema.clone(), r#"{"items":[{}]}"#, expect![[r#"/items/0: "n" is a required property"#]]);
    check(schema.clone(), r#"{"kind":"c"}"#, expect![[r#"/kind: "c" is not one of "a" or "b""#]]);
    check(
        schema.clone(),
        r#"{"kin":1}"#,
        expect!["Additional properties are not allowed ('kin' was unexpected)"],
    );
    check(schema, "7", expect![[r#"7 is not of type "object""#]]);
    check(
        json!({"propertyNames": {"maxLength": 2}}),
        r#"{"abc":1}"#,
        expect![[r#"name of a member: "abc" is longer than 2 characters"#]],
    );
    check(
        json!({"properties": {"a/b": {"not": {}}}}),
        r#"{"a/b":1}"#,
        expect!["/a~1b: {} is not allowed for 1"],
    );
    check(json!({"properties": {"a": false}}), r#"{"a":1}"#, expect!["/a: 1 is not allowed"]);
}

#[test]
fn an_invalid_choice_is_reported_with_the_choices() {
    let value = r#"{"unit":"kelvin"}"#;
    let told_of =
        |unit: Value, expected: Expect| check(json!({"properties": {"unit": unit}}), value, expected);
    told_of(
        json!({"enum": ["metric", "imperial", "nautical", "standard", "other"]}),
        expect![[r#"/unit: "kelvin" is not one of "metric", "imperial", "nautical", "standard" or "other""#]],
    );
    let described =
        json!({"oneOf": [{"type": "string", "const": "metric"}, {"enum": ["imperial", "other"]}]});
    told_of(described.clone(), expect![[r#"/unit: "kelvin" is not one of "metric", "imperial" or "other""#]]);
    told_of(
        json!({"anyOf": [{"enum": ["metric", "other"]}, {"type": "null"}]}),
        expect![[r#"/unit: "kelvin" is not one of "metric" or "other""#]],
    );
    let many: Vec<_> = (0..1000).map(|n| format!("unit-{n}")).collect();
    let text = told(&json!({"properties": {"unit": {"enum": many}}}), value).unwrap();
    assert!(text.starts_with(r#"/unit: "kelvin" is not one of "unit-0", "unit-1", "unit-2""#), "{text}");
    assert!(text.ends_with(" others") && text.chars().count() <= ERROR_CHARS, "{text}");
}

#[test]
fn a_value_close_to_one_alternative_gets_its_error() {
    let circle =
        json!({"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["r"]});
    let point = json!({"properties": {"kind": {"const": "point"}}});
    let shape = json!({"type": "object", "oneOf": [circle, point]});
    check(
        shape.clone(),
        r#"{"kind":"cube"}"#,
        expect![[r#"/kind: "cube" is not one of "circle" or "point""#]],
    );
    check(shape.clone(), r#"{"kind":"circle"}"#, expect![[r#""r" is a required property"#]]);
    check(
        json!({"properties": {"a": {"anyOf": [shape, {"type": "null"}]}}}),
        r#"{"a":{"kind":"circle","r":"x"}}"#,
        expect![[r#"/a/r: "x" is not of type "number""#]],
    );
    check(
        json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        "true",
        expect!["true is not valid under any of the schemas listed in the 'anyOf' keyword"],
    );
}

#[test]
fn ambiguous_text_is_refused() {
    let schema = json!({"properties": {"a": {"type": "integer"}}});
    check(schema.clone(), r#"{"a":"x","a":1}"#, expect![[r#"duplicate key "a""#]]);
    check(
        schema.clone(),
        r#"{"b":[{"a":1,"\u0061":2}]}"#,
        expect![[r#"duplicate key "a" in the object at "/b/0""#]],
    );
    check(schema, r#"{"a":1e400}"#, expect!["number out of range"]);
}

#[test]
fn large_numbers_are_compared_with_64_bit_precision() {
    let schema = json!({"type": "integer", "maximum": u64::MAX});
    assert_eq!(told(&schema, "18446744073709551615"), None);
    assert_eq!(told(&json!({"type": "integer"}), "123456789012345678901234567890"), None);
    assert!(told(&schema, "123456789012345678901234567890").is_some());
    assert!(told(&json!({"type": "integer"}), "0.5").is_some());
    assert_eq!(told(&json!({"type": "integer"}), "1.0"), None);
}

#[test]
fn a_few_errors_are_reported_and_the_others_counted() {
    let json = format!("[{}0]", "0,".repeat(ERRORS_TOLD + 2));
    let text = told(&json!({"items": {"type": "string"}}), &json).unwrap();
    assert_eq!(text.matches("is not of type").count(), ERRORS_TOLD);
    assert!(text.ends_with("; and 3 more"), "{text}");
}

#[test]
fn each_text_is_truncated() {
    let long = "ß".repeat(100_000);
    let names: Vec<_> = (0..1000).map(|n| format!("{n}{long:.100}")).collect();
    for (schema, value) in [
        (json!({"type": "integer"}), json!(long)),
        (json!({"type": "integer"}), json!([[long]])),
        (json!({"const": long}), json!(1)),
        (json!({"enum": [long, long]}), json!(1)),
        (json!({"pattern": "^a$"}), json!(long)),
        (json!({"not": {"title": long}}), json!(1)),
        (json!({"required": [long]}), json!({})),
        (json!({"additionalProperties": false}), json!({&long: 1})),
        (json!({"propertyNames": {"maxLength": 2}}), json!({&long: 1})),
        (json!({"additionalProperties": {"type": "string"}}), json!({&long: 1})),
        (json!({"unevaluatedProperties": false}), json!({&long: 1})),
        (json!({"required": names}), json!({})),
    ] {
        let text = told(&schema, &value.to_string()).unwrap();
        assert!(
            text.chars().count() <= ERRORS_TOLD * (ERROR_CHARS + 3) + 20,
            "{} characters",
            text.chars().count()
        );
        assert!(text.contains('…') || text.contains("more"), "{text}");
    }
    let twice = format!(r#"{{"{long}":1,"{long}":1}}"#);
    assert!(told(&json!({"required": ["a"]}), &twice).unwrap().chars().count() < 200);
}
