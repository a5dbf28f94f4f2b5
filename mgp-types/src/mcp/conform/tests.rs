//! Tests of definitions that break MCP's schema.

use super::*;
use crate::json::RawJson;

/// Asserts the mended definition, and the named parts.
fn check(conform: fn(&RawJson) -> Conformity, definition: &str, expected: Option<&str>, places: &[&str]) {
    let definition = RawJson::parse(definition.to_owned()).unwrap();
    match (conform(&definition), expected) {
        (Conformity::Valid, Some(expected)) => {
            assert_eq!((definition.as_str(), places), (expected, &[][..]));
        }
        (Conformity::Mended(mended, mends), Some(expected)) => {
            assert_eq!(mended.as_str(), expected, "{mends}");
            let named: Vec<_> = mends.0.iter().map(|mend| mend.pointer.as_str()).collect();
            assert_eq!(named, places, "{mends}");
            assert_eq!(conform(&mended), Conformity::Valid, "{expected}");
        }
        (Conformity::Invalid(mend), None) => assert_eq!([mend.pointer.as_str()], places, "{mend}"),
        (found, _) => panic!("{definition:?}: {found:?}"),
    }
}

#[test]
fn a_valid_tool_keeps_its_server_s_text() {
    for tool in [
        r#"{"name":"a","inputSchema":{"type":"object"}}"#,
        r#"{"name":"a","inputSchema":{"type":"object","properties":{"n":{"maximum":1e500}},"additionalProperties":false,"x":null},"x":null}"#,
        r#"{"name":"a","inputSchema":{"type":"object","anyOf":[true]},"execution":{"taskSupport":"optional"},"_meta":{}}"#,
    ] {
        check(conform_tool, tool, Some(tool), &[]);
    }
}

#[test]
fn unpaired_surrogates_are_replaced_except_in_returned_names() {
    check(
        conform_tool,
        r#"{"name":"a","description":"cut \ud83d","inputSchema":{"type":"object"}}"#,
        Some(r#"{"name":"a","description":"cut \ufffd","inputSchema":{"type":"object"}}"#),
        &[""],
    );
    check(conform_tool, r#"{"name":"\ud83d","inputSchema":{"type":"object"}}"#, None, &["/name"]);
    check(
        conform_tool,
        r#"{"name":"\ufffd","description":"\ud83d","inputSchema":{"type":"object"}}"#,
        Some(r#"{"name":"\ufffd","description":"\ufffd","inputSchema":{"type":"object"}}"#),
        &[""],
    );
    check(conform_resource, r#"{"uri":"a:\ud83d","name":"a"}"#, None, &["/uri"]);
    check(
        conform_resource,
        r#"{"uri":"a:b","name":"\ud83d","\udc00":1}"#,
        Some(r#"{"uri":"a:b","name":"\ufffd","\ufffd":1}"#),
        &[""],
    );
}

#[test]
fn a_tool_s_schema_describes_an_object() {
    let tool = |schema: &str| format!(r#"{{"name":"a","inputSchema":{schema}}}"#);
    for (schema, expected, places) in [
        ("{}", r#"{"type":"object"}"#, &["/inputSchema/type"][..]),
        (
            r#"{"anyOf":[{"required":["x"]}]}"#,
            r#"{"anyOf":[{"required":["x"]}],"type":"object"}"#,
            &["/inputSchema/type"],
        ),
        (r#"{"type":["object","null"]}"#, r#"{"type":"object"}"#, &["/inputSchema/type"]),
        (r#"{"type":null}"#, r#"{"type":"object"}"#, &["/inputSchema/type"]),
        (r#"{"type":"object","required":null}"#, r#"{"type":"object"}"#, &["/inputSchema/required"]),
        (
            r#"{"type":"object","required":["a",7]}"#,
            r#"{"type":"object","required":["a"]}"#,
            &["/inputSchema/required/1"],
        ),
        (r#"{"type":"object","properties":null}"#, r#"{"type":"object"}"#, &["/inputSchema/properties"]),
        (
            r#"{"type":"object","properties":{"a":{},"a":7}}"#,
            r#"{"type":"object"}"#,
            &["/inputSchema/properties"],
        ),
        (
            r#"{"type":"object","properties":{"a":true,"b/c":false,"d":"string","e":{}}}"#,
            r#"{"type":"object","properties":{"a":{},"b/c":{"not":{}},"e":{}}}"#,
            &["/inputSchema/properties/a", "/inputSchema/properties/b~1c", "/inputSchema/properties/d"],
        ),
    ] {
        check(conform_tool, &tool(schema), Some(&tool(expected)), places);
    }
    for schema in ["7", "null", "[]", "true", r#"{"type":"string"}"#, r#"{"type":["string","null"]}"#] {
        check(conform_tool, &tool(schema), None, &["/inputSchema"]);
    }
}

#[test]
fn a_member_of_another_form_is_left_out() {
    let tool = |members: &str| format!(r#"{{"name":"a",{members}"inputSchema":{{"type":"object"}}}}"#);
    for (members, expected, places) in [
        (r#""title":null,"description":7,"#, "", &["/title", "/description"][..]),
        (r#""annotations":null,"#, "", &["/annotations"]),
        (
            r#""annotations":{"readOnlyHint":"yes","destructiveHint":true},"#,
            r#""annotations":{"destructiveHint":true},"#,
            &["/annotations/readOnlyHint"],
        ),
        (
            r#""icons":[{"src":"a","theme":"blue"},{},{"src":"b","sizes":"any"}],"#,
            r#""icons":[{"src":"a"},{"src":"b"}],"#,
            &["/icons/0/theme", "/icons/1", "/icons/2/sizes"],
        ),
        (r#""icons":"none","_meta":[],"execution":[],"#, "", &["/execution", "/icons", "/_meta"]),
        (r#""outputSchema":null,"#, "", &["/outputSchema"]),
        (
            r##""outputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}}},"##,
            "",
            &["/outputSchema"],
        ),
        (r#""outputSchema":{"type":"object","properties":{"a":{"type":"strin"}}},"#, "", &["/outputSchema"]),
        (
            r#""outputSchema":{"properties":{"a":true},"required":null},"#,
            r#""outputSchema":{"properties":{"a":{}},"type":"object"},"#,
            &["/outputSchema/type", "/outputSchema/required", "/outputSchema/properties/a"],
        ),
    ] {
        check(conform_tool, &tool(members), Some(&tool(expected)), places);
    }
    check(conform_tool, r#"{"name":null,"inputSchema":{"type":"object"}}"#, None, &["/name"]);
    check(conform_tool, r#"{"name":"a"}"#, None, &["/inputSchema"]);
    check(conform_tool, "[]", None, &[""]);
}

#[test]
fn resources_templates_and_prompts_are_repaired_like_tools() {
    check(
        conform_resource,
        r#"{"uri":"a:b","size":"7","annotations":{"audience":["user","all"],"priority":2,"lastModified":"today"}}"#,
        Some(r#"{"uri":"a:b","annotations":{"audience":["user"]},"name":"a:b"}"#),
        &["/name", "/size", "/annotations/audience/1", "/annotations/priority", "/annotations/lastModified"],
    );
    check(
        conform_resource_template,
        r#"{"uriTemplate":"a:{b}","name":7,"mimeType":null}"#,
        Some(r#"{"uriTemplate":"a:{b}","name":"a:{b}"}"#),
        &["/name", "/mimeType"],
    );
    check(
        conform_prompt,
        r#"{"name":"a","arguments":[{"name":"x","required":"no"},{"description":"no name"}]}"#,
        Some(r#"{"name":"a","arguments":[{"name":"x"}]}"#),
        &["/arguments/0/required", "/arguments/1"],
    );
    check(conform_resource, r#"{"name":"a"}"#, None, &["/uri"]);
    check(conform_prompt, r#"{"arguments":[]}"#, None, &["/name"]);
}
