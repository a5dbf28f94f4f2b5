//! Documents about tools, and lists of tools that are compared.

use crate::support::User;
use serde_json::{Value, json};

#[test]
fn a_specification_has_eight_parts_and_an_example_that_fits() {
    let user = User::with_notes();
    let text = user.run(&["tools", "spec", "add_note"]).succeeds().stdout;
    let parts = text.lines().filter(|line| line.starts_with("## ")).count();
    assert_eq!(parts, 8, "{text}");
    assert!(text.starts_with("# Tool: `add_note`\n"), "{text}");
    assert!(text.contains("\"tool_name\": \"add_note\""), "{text}");
    assert!(text.contains("only for calls that ask for it"), "arguments are not checked by default: {text}");
}

#[test]
fn a_manifest_names_the_tools() {
    let user = User::with_notes();
    let (_, manifest) = user.json(&["tools", "export", "--format", "manifest"]);
    assert_eq!(manifest["manifest_version"], "0.1.0");
    assert_eq!(manifest["arguments_checked"], false);
    let names = manifest["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone());
    assert!(names.into_iter().any(|name| name == "list_notes"), "{manifest}");
}

/// Returns a list of one tool.
fn listing(version: &str, required: &[&str]) -> String {
    let schema = json!({"type": "object", "properties": {"a": {}, "b": {}}, "required": required});
    let tool = json!({"name": "t", "inputSchema": schema, "_meta": {"dev.cloto/tool": {"version": version}}});
    json!({"tools": [tool]}).to_string()
}

#[test]
fn a_version_has_to_name_its_changes() {
    let user = User::new();
    user.write("old.json", &listing("1.2.0", &["a"]));
    for (version, required, code, said) in [
        ("1.2.0", &["a"][..], 0, ""),
        ("1.2.1", &["a"], 0, ""),
        ("1.3.0", &["a", "b"], 1, "tool t: changed, breaking; version 1.2.0 to 1.3.0: expected a major step"),
        ("2.0.0", &["a", "b"], 0, "tool t: changed, breaking; version 1.2.0 to 2.0.0: says what changed"),
        ("1.2.0", &[], 1, "tool t: changed; version 1.2.0, as before: expected a minor step"),
        ("1.3.0", &[], 0, "tool t: changed; version 1.2.0 to 1.3.0: says what changed"),
    ] {
        user.write("new.json", &listing(version, required));
        let ended = user.run(&["tools", "diff", "old.json", "new.json"]);
        let ended = if code == 0 { ended.succeeds() } else { ended.fails_with(code) };
        assert_eq!(
            ended.stdout.lines().next().unwrap_or_default(),
            said,
            "{version} {required:?}: {ended:?}"
        );
    }
    user.write("new.json", r#"{"tools":[]}"#);
    let ended = user.run(&["tools", "diff", "old.json", "new.json"]).fails_with(1);
    assert_eq!(ended.stdout.trim(), "tool t: removed, breaking");
    user.write("odd.json", r#"{"tools":7}"#);
    let ended = user.run(&["tools", "diff", "old.json", "odd.json"]).fails_with(1);
    assert!(
        ended.stderr.contains("odd.json lists no tools: tools: expected a list, found a number"),
        "{ended:?}"
    );
}

#[test]
fn a_gateway_s_version_does_not_cover_its_servers_tools() {
    let user = User::new();
    let manifest = |name: &str, tool: &str, required: &[&str]| {
        json!({
            "manifest_version": "0.1.0",
            "server": {"name": name, "version": "0.1.0", "mcp_spec_version": "2025-11-25"},
            "tools": [{"name": tool, "description": "", "version": if required.is_empty() { "1.0.0" } else { "2.0.0" },
                "input_schema": {"type": "object", "required": required}}]
        })
        .to_string()
    };
    for (name, code) in [("mgp", 0), ("notes", 1)] {
        user.write("old.json", &manifest(name, "t", &[]));
        user.write("new.json", &manifest(name, "t", &["a"]));
        let ended = user.run(&["tools", "diff", "old.json", "new.json"]);
        assert_eq!(ended.code, code, "{name}: {ended:?}");
        assert!(ended.stdout.contains("tool t: changed, breaking"), "{ended:?}");
    }
}

#[test]
fn an_export_is_compared_with_a_list() {
    let user = User::with_notes();
    let (_, catalogue) = user.json(&["tools", "export"]);
    let exported: Vec<_> = catalogue["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    let mut host = user.serve(&["--exposure", "full"]);
    host.send(2, "tools/list", &json!({}));
    let mut listed = host.reply(2);
    drop(host);
    // The gateway's own tools are not exported.
    let tools = listed["result"]["tools"].as_array_mut().unwrap();
    tools.retain(|tool| exported.contains(&&tool["name"]));
    assert_eq!(tools.len(), exported.len(), "{listed}");
    user.write("list.json", &listed.to_string());
    let tool = &mut listed["result"]["tools"][0];
    tool["inputSchema"]["required"] = json!(["never_required_before"]);
    user.write("changed.json", &listed.to_string());
    for (format, unseen) in [
        ("catalogue", "note: a catalogue does not show `security`"),
        ("manifest", "note: a manifest does not show titles"),
        ("json-schema", "note: a json-schema export does not show descriptions"),
    ] {
        let made = user.run(&["tools", "export", "--format", format]).succeeds().stdout;
        user.write("export.json", &made);
        for files in [["list.json", "export.json"], ["export.json", "list.json"]] {
            let ended = user.run(&["tools", "diff", files[0], files[1]]).succeeds();
            assert_eq!(ended.stdout.trim(), "", "{format}: {ended:?}");
            assert!(ended.stderr.contains("the tools are the same"), "{format}: {ended:?}");
            assert!(ended.stderr.contains(unseen), "{format}: {ended:?}");
        }
        let ended = user.run(&["tools", "diff", "export.json", "changed.json"]).fails_with(1);
        assert!(ended.stdout.contains("breaking: /inputSchema/required"), "{format}: {ended:?}");
    }
}

/// Returns a document of one tool with these members, of a kind that a member of the document names.
fn document(kind: &str, members: &Value) -> String {
    let mut tool =
        json!({"name": "t", "inputSchema": {"type": "object"}, "input_schema": {"type": "object"}});
    let other = if kind == "manifest_version" { "inputSchema" } else { "input_schema" };
    let tool_members = tool.as_object_mut().unwrap();
    tool_members.remove(other);
    tool_members.extend(members.as_object().unwrap().clone());
    json!({kind: "1.0.0", "tools": [tool]}).to_string()
}

#[test]
fn a_catalogue_shows_a_change_outside_of_the_schema() {
    let user = User::new();
    for (old, new, said) in [
        (json!({"execution": {"taskSupport": "optional"}}), json!({}), "breaking: /execution"),
        (
            json!({"annotations": {"readOnlyHint": true}}),
            json!({"annotations": {"readOnlyHint": false}}),
            "admits more risk: /annotations/readOnlyHint",
        ),
        (
            json!({}),
            json!({"_meta": {"dev.cloto/tool": {"max_input_size_bytes": 9}}}),
            "breaking: /_meta/dev.cloto~1tool/max_input_size_bytes",
        ),
    ] {
        user.write("old.json", &document("generated_at", &old));
        user.write("new.json", &document("generated_at", &new));
        let ended = user.run(&["tools", "diff", "old.json", "new.json"]);
        assert!(ended.stdout.contains(said), "{said}: {ended:?}");
    }
}

#[test]
fn only_the_limits_that_a_manifest_shows_are_compared() {
    let user = User::new();
    let size = |most: u64| json!({"max_input_size_bytes": most, "version": "1.0.0"});
    let mut listed =
        json!({"_meta": {"dev.cloto/tool": size(9)}, "title": "T", "execution": {"taskSupport": "required"}});
    user.write("list.json", &document("kind", &listed));
    let mut manifest = size(9);
    for (only, value) in [("tags", json!(["a"])), ("risk_level", json!("safe")), ("idempotent", json!(true))]
    {
        manifest[only] = value;
    }
    user.write("manifest.json", &document("manifest_version", &manifest));
    let ended = user.run(&["tools", "diff", "list.json", "manifest.json"]).succeeds();
    assert!(ended.stderr.contains("the tools are the same"), "{ended:?}");
    listed["_meta"]["dev.cloto/tool"] = size(8);
    user.write("list.json", &document("kind", &listed));
    let ended = user.run(&["tools", "diff", "manifest.json", "list.json"]).fails_with(1);
    assert!(ended.stdout.contains("breaking: /_meta/dev.cloto~1tool/max_input_size_bytes"), "{ended:?}");
}

#[test]
fn a_tool_may_have_the_name_of_a_member_of_other_documents() {
    let user = User::new();
    let document = |required: &[&str]| {
        let tool = json!({"version": "1.0.0", "schema": {"type": "object", "required": required}});
        json!({"tools": tool, "result": tool, "server": tool}).to_string()
    };
    user.write("old.json", &document(&[]));
    user.write("new.json", &document(&["a"]));
    let ended = user.run(&["tools", "diff", "old.json", "new.json"]).fails_with(1);
    for name in ["tools", "result", "server"] {
        let said = format!("tool {name}: changed, breaking; version 1.0.0, as before: expected a major step");
        assert!(ended.stdout.contains(&said), "{name}: {ended:?}");
    }
}
