//! Tests of the difference of two definitions.

use super::{DefinitionDiff, Effect};
use mgp_types::json::RawJson;
use serde_json::{Value, json};

fn diff(old: &Value, new: &Value) -> DefinitionDiff {
    let text = |value: &Value| RawJson::parse(value.to_string()).unwrap();
    DefinitionDiff::of(&text(old), &text(new))
}

/// Returns the places that differ, with the effects.
fn effects(old: &Value, new: &Value) -> Vec<(String, Effect)> {
    diff(old, new).differences.into_iter().map(|one| (one.path, one.effect)).collect()
}

/// Checks the effect of a change of one schema, both of arguments and of results.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "json! makes a value")]
fn check(old: Value, new: Value, input: Effect, output: Effect) {
    for (member, expected) in [("inputSchema", input), ("outputSchema", output)] {
        let (old, new) = (json!({"name": "t", member: old}), json!({"name": "t", member: new}));
        let diff = diff(&old, &new);
        let worst = match diff.is_breaking() {
            true => Breaking,
            false => diff.differences.first().map_or(Compatible, |one| one.effect),
        };
        assert_eq!(worst, expected, "{member}: {old} to {new}: {diff:?}");
        assert!(!diff.differences.is_empty(), "{member}: {old} to {new}");
    }
}

use Effect::{Breaking, Compatible, HigherRisk, LowerRisk, Text};

#[test]
fn removed_or_newly_required_parameters_break_callers() {
    let schema = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
    let a = || schema(json!({"a": {"type": "string"}}), json!(["a"]));
    check(a(), schema(json!({"a": {"type": "string"}, "b": {}}), json!(["a"])), Compatible, Compatible);
    check(a(), schema(json!({"a": {"type": "string"}, "b": {}}), json!(["a", "b"])), Breaking, Compatible);
    check(a(), schema(json!({}), json!([])), Breaking, Breaking);
    check(a(), schema(json!({"a": {"type": "string"}}), json!([])), Compatible, Breaking);
    check(schema(json!({"a": {}}), json!([])), schema(json!({"a": {}}), json!(["a"])), Breaking, Compatible);
}

#[test]
fn narrower_input_breaks_callers_and_wider_output_readers() {
    let property = |schema: Value| json!({"type": "object", "properties": {"a": schema}});
    for (wide, narrow) in [
        (json!({"type": ["string", "null"]}), json!({"type": "string"})),
        (json!({"type": "number"}), json!({"type": "integer"})),
        (json!({}), json!({"type": "string"})),
        (json!(true), json!({"type": "string"})),
        (json!({"type": "string"}), json!(false)),
        (json!({"enum": ["x", "y"]}), json!({"enum": ["x"]})),
        (json!({"type": "string"}), json!({"type": "string", "enum": ["x"]})),
        (json!({"type": "string"}), json!({"type": "string", "const": "x"})),
        (json!({"maximum": 7}), json!({"maximum": 6})),
        (json!({"minimum": 6}), json!({"minimum": 7})),
        (json!({"type": "string"}), json!({"type": "string", "maxLength": 5})),
        (json!({"minItems": 1}), json!({"minItems": 2})),
        (json!({"type": "string"}), json!({"type": "string", "pattern": "^a"})),
        (json!({"type": "string"}), json!({"type": "string", "format": "uri"})),
        (json!({"type": "array", "items": {}}), json!({"type": "array", "items": {"type": "string"}})),
        (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), json!({"anyOf": [{"type": "string"}]})),
        (json!({"type": "object"}), json!({"type": "object", "additionalProperties": false})),
        (
            json!({"type": "object", "additionalProperties": {"type": ["string", "integer"]}}),
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
        ),
        (
            json!({"anyOf": [{"enum": ["x", "y"]}, {"type": "null"}]}),
            json!({"anyOf": [{"enum": ["x"]}, {"type": "null"}]}),
        ),
    ] {
        check(property(wide.clone()), property(narrow.clone()), Breaking, Compatible);
        check(property(narrow), property(wide), Compatible, Breaking);
    }
}

#[test]
fn an_added_variant_breaks_only_readers() {
    let property = |schema: Value| json!({"type": "object", "properties": {"a": {"oneOf": schema}}});
    let tagged = |kind: &str, text: &str| {
        json!({"type": "object", "description": text, "properties": {"kind": {"const": kind}, "n": {"type": "integer"}},
            "required": ["kind"]})
    };
    let outer = |name: &str, text: &str| {
        json!({"type": "object", "description": text, "properties": {name: {"type": "integer"}}, "required": [name],
            "additionalProperties": false})
    };
    let plain = |name: &str, text: &str| json!({"const": name, "description": text});
    for make in [&tagged as &dyn Fn(&str, &str) -> Value, &outer, &plain] {
        let one = property(json!([make("x", "")]));
        let both = property(json!([make("y", ""), make("x", "")]));
        check(one.clone(), both.clone(), Compatible, Breaking);
        check(both, one.clone(), Breaking, Compatible);
        check(one, property(json!([make("x", "better")])), Text, Text);
    }
    let narrowed = json!({"type": "object", "description": "", "properties": {"kind": {"const": "x"}, "n": {"type": "integer", "maximum": 3}},
        "required": ["kind"]});
    check(property(json!([tagged("x", "")])), property(json!([narrowed])), Breaking, Compatible);
    // A text fits only the first, and neither of both.
    let [loose, other] =
        ["x", "y"].map(|kind| json!({"properties": {"kind": {"const": kind}}, "required": ["kind"]}));
    check(property(json!([loose])), property(json!([loose, other])), Breaking, Breaking);
    let untold = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    check(property(json!([tagged("x", "")])), property(json!([tagged("x", ""), untold])), Breaking, Breaking);
}

#[test]
fn adding_and_dropping_at_once_breaks_everybody() {
    let property = |schema: Value| json!({"type": "object", "properties": {"a": schema}});
    for (old, new) in [
        (json!({"type": "string"}), json!({"type": "integer"})),
        (json!({"enum": ["x"]}), json!({"enum": ["y"]})),
        (json!({"const": 1}), json!({"const": 2})),
        (json!({"pattern": "^a"}), json!({"pattern": "^b"})),
        (json!({"oneOf": [{"type": "string"}]}), json!({"oneOf": [{"type": "null"}]})),
        (json!({"$ref": "#/$defs/a"}), json!({"$ref": "#/$defs/b"})),
        (json!({"if": {}}), json!({"if": false})),
        (json!({"patternProperties": {"^a": {}}}), json!({})),
    ] {
        check(property(old), property(new), Breaking, Breaking);
    }
    let definitions = |of: Value| json!({"type": "object", "$defs": of});
    check(definitions(json!({"x": {}})), definitions(json!({})), Breaking, Breaking);
    check(
        definitions(json!({"x": {"type": "string"}})),
        definitions(json!({"x": {"type": "null"}})),
        Breaking,
        Breaking,
    );
    check(definitions(json!({})), definitions(json!({"x": {}})), Compatible, Compatible);
}

#[test]
fn text_and_unknown_keywords_break_nobody() {
    let property = |schema: Value| json!({"type": "object", "properties": {"a": schema}});
    for (old, new) in [
        (json!({"description": "d"}), json!({"description": "e"})),
        (json!({}), json!({"title": "A"})),
        (json!({"default": 1}), json!({"default": 2})),
    ] {
        check(property(old), property(new), Text, Text);
    }
    for (old, new) in [
        (json!({"enum": ["x", {"a": 1, "b": 2}]}), json!({"enum": [{"b": 2, "a": 1}, "x"]})),
        (json!({"type": ["string", "null"]}), json!({"type": ["null", "string"]})),
        (json!({"required": ["x", "y"]}), json!({"required": ["y", "x"]})),
        (json!({"maximum": 1}), json!({"maximum": 1.0})),
        (json!({"anyOf": [{"type": "string"}, {}]}), json!({"anyOf": [{}, {"type": "string"}]})),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"anyOf": [{"type": "null"}, {"type": "string", "description": "d"}]}),
        ),
    ] {
        check(property(old), property(new), Text, Text);
    }
    check(property(json!({})), property(json!({"x-order": 1})), Compatible, Compatible);
    check(json!({"$schema": "a"}), json!({"$schema": "b"}), Compatible, Compatible);
}

#[test]
fn a_removed_or_opened_result_schema_breaks_readers() {
    let output = json!({"name": "t", "outputSchema": {"type": "object"}});
    assert!(diff(&output, &json!({"name": "t"})).is_breaking());
    assert!(!diff(&json!({"name": "t"}), &output).is_breaking());
    let closed = |properties: Value| json!({"name": "t", "outputSchema": {"type": "object", "properties": properties, "additionalProperties": false}});
    assert!(diff(&closed(json!({})), &closed(json!({"a": {}}))).is_breaking());
    let closed = |properties: Value| json!({"name": "t", "outputSchema": {"properties": properties, "unevaluatedProperties": false}});
    assert!(diff(&closed(json!({})), &closed(json!({"a": {}}))).is_breaking());
}

#[test]
fn an_optional_parameter_that_changed_breaks_callers() {
    let texts =
        |properties: Value| json!({"properties": properties, "additionalProperties": {"type": "string"}});
    check(texts(json!({})), texts(json!({"n": {"type": "integer"}})), Breaking, Breaking);
    check(texts(json!({})), texts(json!({"n": {"type": ["string", "null"]}})), Compatible, Breaking);
}

#[test]
fn a_tool_that_accepts_less_or_runs_differently_breaks_callers() {
    let size =
        |most: Value| json!({"name": "t", "_meta": {"dev.cloto/tool": {"max_input_size_bytes": most}}});
    let task = |support: Value| json!({"name": "t", "execution": {"taskSupport": support}});
    let none = || json!({"name": "t"});
    for (old, new, breaks) in [
        (size(json!(10)), size(json!(9)), true),
        (none(), size(json!(9)), true),
        (size(json!(9)), size(json!(10)), false),
        (size(json!(9)), none(), false),
        (none(), json!({"name": "t", "max_input_size_bytes": 9}), true),
        (task(json!("optional")), task(json!("required")), true),
        (none(), task(json!("required")), true),
        (task(json!("optional")), none(), true),
        (none(), task(json!("optional")), false),
        (task(json!("required")), task(json!("optional")), false),
        (none(), task(json!("forbidden")), false),
    ] {
        let found = diff(&old, &new);
        assert!(found.is_breaking() == breaks && !found.differences.is_empty(), "{old} to {new}: {found:?}");
    }
}

#[test]
fn a_hint_of_less_risk_differs_from_one_of_more() {
    let hints = |hints: Value| json!({"name": "t", "annotations": hints});
    for (old, new, expected) in [
        (json!({}), json!({"readOnlyHint": true}), LowerRisk),
        (json!({"readOnlyHint": true}), json!({}), HigherRisk),
        (json!({}), json!({"destructiveHint": false}), LowerRisk),
        (json!({"destructiveHint": false}), json!({"destructiveHint": true}), HigherRisk),
        (json!({"openWorldHint": true}), json!({"openWorldHint": false}), LowerRisk),
        (json!({"idempotentHint": false}), json!({"idempotentHint": true}), LowerRisk),
        (json!({}), json!({"readOnlyHint": false}), Compatible),
        (json!({"title": "a"}), json!({"title": "b"}), Text),
    ] {
        let found = effects(&hints(old.clone()), &hints(new.clone()));
        assert_eq!(found.iter().map(|(_, effect)| *effect).collect::<Vec<_>>(), [expected], "{old} to {new}");
        assert!(found[0].0.starts_with("/annotations/"), "{found:?}");
    }
    assert_eq!(effects(&hints(json!("a")), &hints(json!({}))), [("/annotations".to_owned(), Text)]);
    assert_eq!(
        effects(&json!({"name": "t"}), &hints(json!({"readOnlyHint": true}))),
        [("/annotations/readOnlyHint".to_owned(), LowerRisk)]
    );
}

#[test]
fn a_difference_names_its_position_and_both_values() {
    let old = json!({"name": "t", "description": "d", "inputSchema": {"properties": {"a/b~c": {"type": "string"}}}});
    let new =
        json!({"name": "t", "description": "e", "inputSchema": {"properties": {"a/b~c": {"type": "null"}}}});
    let found = diff(&old, &new);
    let shown: Vec<_> =
        found.differences.iter().map(|one| (&*one.path, one.effect, &one.old, &one.new)).collect();
    let [(text, _, d, e), (place, ..)] = &shown[..] else { panic!("{shown:?}") };
    assert_eq!((*text, d, e), ("/description", &&Some(json!("d")), &&Some(json!("e"))));
    assert_eq!(*place, "/inputSchema/properties/a~1b~0c/type");
    assert!(diff(&old, &old).differences.is_empty() && !diff(&old, &old).is_breaking());
}

#[test]
fn unlisted_differences_are_counted_and_still_break() {
    let many = |kind: &str| -> serde_json::Map<String, Value> {
        (0..DefinitionDiff::MAX).map(|at| (format!("p{at:03}"), json!({"description": kind}))).collect()
    };
    let with = |mut properties: serde_json::Map<String, Value>, last: Value| {
        properties.insert("z".to_owned(), last);
        json!({"name": "t", "inputSchema": {"properties": properties}})
    };
    let harmless = diff(&with(many("a"), json!({"title": "a"})), &with(many("b"), json!({"title": "b"})));
    assert_eq!((harmless.differences.len(), harmless.left_out), (DefinitionDiff::MAX, 1));
    assert!(!harmless.is_breaking());
    assert!(
        diff(&with(many("a"), json!({"type": "null"})), &with(many("b"), json!({"type": "string"})))
            .is_breaking()
    );
}

#[test]
fn an_incomparable_change_counts_as_breaking() {
    let text = |text: &str| RawJson::parse(text.to_owned()).unwrap();
    assert!(DefinitionDiff::of(&text("1"), &text("2")).is_breaking());
    assert!(!DefinitionDiff::of(&text("1"), &text("1")).is_breaking());
}
