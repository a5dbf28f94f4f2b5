//! Tests of the documents.

use super::*;
use mgp_types::json::RawJson;
use serde_json::{Value, json};

fn describe(definition: &Value) -> ToolDescription {
    ToolDescription::of_definition(&RawJson::from_value(definition).unwrap()).unwrap()
}

fn rich() -> ToolDescription {
    describe(&json!({
        "name": "readFile", "title": "Read a file", "description": "# Reads a file\n| as | text |",
        "inputSchema": {"type": "object", "properties": {"path": {"$ref": "#/$defs/path"}, "lines": {"type": "array", "items": {"type": "integer"}}},
            "required": ["path"], "$defs": {"path": {"type": "string", "minLength": 1, "description": "The <path>"}}},
        "outputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        "annotations": {"readOnlyHint": true},
        "_meta": {"dev.cloto/tool": {"version": "1.2.0", "author": "ann", "tags": ["files"], "latency": "instant", "deprecated": "use b",
            "errors": [{"error_type": "FileNotFoundError", "when": "there is no such file"}], "security_notes": ["reads any file"],
            "required_scopes": ["read:files"], "cost": {"category": "metered", "estimated_units": 2, "unit_label": "credits"}, "quota": 7}},
    }))
}

fn bare() -> ToolDescription {
    describe(
        &json!({"name": "2-add", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]}}),
    )
}

#[test]
fn a_specification_always_has_its_eight_parts() {
    for tool in [rich(), bare()] {
        let text = specification(&tool);
        let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).take(8).collect();
        let parts = [
            "1. Purpose",
            "2. Invocation",
            "3. Input",
            "4. Output",
            "5. Error",
            "6. Idempotency",
            "7. Usage",
            "8. Security",
        ];
        assert!(
            headings.iter().zip(parts).all(|(heading, part)| heading.starts_with(&format!("## {part}"))),
            "{text}"
        );
        assert_eq!(headings.len(), 8, "{text}");
    }
    let text = specification(&bare());
    for unsaid in [
        "**Version**: not stated",
        "gives no description",
        "names no errors",
        "does not say",
        "gives no examples",
        "states no risks",
    ] {
        assert!(text.contains(unsaid), "{unsaid}: {text}");
    }
    assert!(text.contains("| `n` | integer | yes |  | `minimum 3` |"), "{text}");
    assert!(text.contains(r#""n": 3"#), "an example that fits: {text}");
}

#[test]
fn a_specification_says_if_the_gateway_checks_arguments() {
    for (checked, said) in [
        (Some(true), "The gateway checks the arguments of every call"),
        (Some(false), "only for calls that ask for it"),
        (None, "depends on the tool's server"),
    ] {
        let text = specification(&ToolDescription { arguments_checked: checked, ..bare() });
        assert!(text.contains(said), "{checked:?}: {text}");
    }
}

#[test]
fn a_server_s_text_begins_no_part_of_the_specification() {
    let text = specification(&rich());
    for said in [
        "**Version**: 1.2.0",
        "Deprecated: use b",
        "\\# Reads a file",
        "\\| as | text |",
        "| `path` | string | yes | The &lt;path> | `minLength 1` |",
        "| `lines` | array of integer | no |",
        "| `FileNotFoundError` | there is no such file |",
        "- reads any file",
        "Scopes: read:files",
        "about 2 credits a call",
        "repeating a call with the same arguments has no further effect",
        "quota in _meta",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn a_catalogue_has_tags_a_version_and_the_time() {
    let catalogue = catalogue(&[rich(), bare()], "2026-01-01T00:00:00Z");
    assert_eq!(
        (&catalogue["version"], &catalogue["generated_at"]),
        (&json!("1.0.0"), &json!("2026-01-01T00:00:00Z"))
    );
    let tool = &catalogue["tools"][0];
    assert_eq!((&tool["name"], &tool["tags"]), (&json!("readFile"), &json!(["files"])));
    assert_eq!(
        tool["metadata"],
        json!({"category": null, "version": "1.2.0", "deprecated": true, "author": "ann"})
    );
    assert_eq!(catalogue["tools"][1]["examples"], json!([{"n": 3}, {"n": 4}, {"n": 5}]));
    let schemas = schemas(&[rich()]);
    assert_eq!(schemas["readFile"]["output_schema"]["required"], json!(["text"]));
}

#[test]
fn a_catalogue_keeps_a_definition_s_parts_for_plain_hosts() {
    let mut definition = json!({
        "name": "t", "title": "T", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true},
        "execution": {"taskSupport": "optional"}, "_meta": {"dev.cloto/tool": {"tags": ["a"], "max_input_size_bytes": 9}},
    });
    let kept = definition.clone();
    definition["_mgp"] = json!({"a": 1});
    definition["_meta"]["mgp"] = json!({"a": 1});
    let catalogue = catalogue(&[describe(&definition)], "2026-01-01T00:00:00Z");
    let tool = catalogue["tools"][0].as_object().unwrap();
    for (key, value) in kept.as_object().unwrap() {
        assert_eq!(tool.get(key), Some(value), "{key}");
    }
    let mut added: Vec<_> = tool.keys().filter(|key| kept.get(key).is_none()).collect();
    added.sort_unstable();
    assert_eq!(added, ["description", "examples", "metadata", "tags"]);
}

#[test]
fn a_manifest_s_cost_is_well_formed_whatever_a_server_claims() {
    let server = ManifestServer {
        name: "s".into(),
        version: "1.0.0".into(),
        mcp_spec_version: "2025-11-25".into(),
        description: None,
    };
    for (claimed, written) in [
        (json!({"category": "free"}), json!({"category": "free"})),
        (json!({"category": "barter", "unit_label": "hens"}), json!({"unit_label": "hens"})),
        (
            json!({"category": "metered", "estimated_units": "two", "unit_label": 7, "own": 1}),
            json!({"category": "metered"}),
        ),
        (json!({"category": "barter"}), Value::Null),
    ] {
        let tool = describe(
            &json!({"name": "t", "inputSchema": {"type": "object"}, "_meta": {"dev.cloto/tool": {"cost": claimed}}}),
        );
        let manifest = manifest(&server, &[], &[tool]);
        assert_eq!(manifest["tools"][0].get("cost").cloned().unwrap_or_default(), written, "{claimed}");
    }
}

#[test]
fn a_manifest_s_names_are_valid_unique_and_callable() {
    let server = ManifestServer {
        name: "s".into(),
        version: "1.0.0".into(),
        mcp_spec_version: "2025-11-25".into(),
        description: None,
    };
    let twice = ToolDescription { name: "readfile".into(), ..bare() };
    let manifest = manifest(&server, &["structured_errors"], &[rich(), twice, bare()]);
    let names: Vec<_> = manifest["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| (&tool["name"], &tool["call_name"]))
        .collect();
    assert_eq!(names[0], (&json!("readfile"), &json!("readFile")));
    assert_eq!(names[1], (&json!("readfile_2"), &json!("readfile")));
    assert_eq!(names[2], (&json!("tool_2_add"), &json!("2-add")));
    assert_eq!(manifest["auth"]["scopes"][0]["grants"], json!(["readfile"]), "the tools' names here");
    assert_eq!(manifest["tools"][0]["cost"]["estimated_units"].as_f64(), Some(2.0));
    assert_eq!(manifest["tools"][0]["idempotent"], json!(true));
    assert!(manifest["tools"][1].get("cost").is_none());
}
