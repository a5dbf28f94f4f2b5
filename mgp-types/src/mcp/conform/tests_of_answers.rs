//! Tests of answers that break MCP's schema.

use super::{Conformity, conform_answer};
use crate::{json::RawJson, mcp::ProtocolVersion};

const LATEST: ProtocolVersion = ProtocolVersion::V2025_11_25;

/// Asserts the answer that a host gets, and the named parts; without an expected answer, that the answer is refused.
fn check(method: &str, version: ProtocolVersion, answer: &str, expected: Option<&str>, places: &[&str]) {
    let answer = RawJson::parse(answer.to_owned()).unwrap();
    match (conform_answer(method, version, &answer), expected) {
        (Conformity::Valid, Some(expected)) => {
            assert_eq!((answer.as_str(), places), (expected, &[][..]));
        }
        (Conformity::Mended(mended, mends), Some(expected)) => {
            assert_eq!(mended.as_str(), expected, "{mends}");
            let named: Vec<_> = mends.0.iter().map(|mend| mend.pointer.as_str()).collect();
            assert_eq!(named, places, "{mends}");
            assert_eq!(conform_answer(method, version, &mended), Conformity::Valid, "{expected}");
        }
        (Conformity::Invalid(mend), None) => assert_eq!([mend.pointer.as_str()], places, "{mend}"),
        (found, _) => panic!("{answer:?}: {found:?}"),
    }
}

fn call(answer: &str, expected: &str, places: &[&str]) {
    check("tools/call", LATEST, answer, Some(expected), places);
}

#[test]
fn a_valid_answer_keeps_its_server_s_text() {
    for answer in [
        r#"{"content":[]}"#,
        r#"{ "x" : null, "content" : [ {"text":"a\"}]\u00e9\ud83d\ude00","type":"text"} , {"type":"image","data":"AA==","mimeType":"image/png","annotations":{"priority":0.5}}],"isError":false,"_meta":{"a":[1,{}]} }"#,
        r#"{"content":[{"type":"resource_link","uri":"a:b","name":"n","size":7},{"type":"resource","resource":{"uri":"a:b","blob":"AAAA"}}],"structuredContent":{"n":1e500}}"#,
        r#"{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}],"cont\u0065nts":1}"#,
        r#"{"content":[],"_meta":{"progressToken":"a","io.modelcontextprotocol/related-task":{"taskId":"t"}}}"#,
        r#"{"content":[],"_meta":{"progressToken":7}}"#,
    ] {
        call(answer, answer, &[]);
        check("tasks/result", ProtocolVersion::V2026_07_28, answer, Some(answer), &[]);
    }
    for (method, answer) in [
        ("resources/read", r#"{"contents":[{"uri":"a:b","text":""}]}"#),
        (
            "prompts/get",
            r#"{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"description":"d"}"#,
        ),
        ("completion/complete", r#"{"completion":{"values":["a"],"total":3,"hasMore":true}}"#),
        (
            "initialize",
            r#"{"protocolVersion":"x","capabilities":{},"serverInfo":{"name":"n","version":"1"}}"#,
        ),
        ("ping", r#"{"content":7}"#),
    ] {
        check(method, LATEST, answer, Some(answer), &[]);
    }
}

#[test]
fn content_is_always_a_list_of_blocks_and_loses_nothing() {
    for (answer, expected, places) in [
        (
            r#"{"content":"sunny"}"#,
            r#"{"content":[{"type":"text","text":"sunny"}]}"#,
            &["/content", "/content"][..],
        ),
        (r#"{"content":null}"#, r#"{"content":[]}"#, &["/content"]),
        (
            r#"{"structuredContent":{"n":1}}"#,
            r#"{"structuredContent":{"n":1},"content":[{"type":"text","text":"{\"n\":1}"}]}"#,
            &["/content"],
        ),
        (
            r#"{"content":{"type":"text","text":"x"}}"#,
            r#"{"content":[{"type":"text","text":"x"}]}"#,
            &["/content"],
        ),
        (
            r#"{"content":["a",7,null,{"type":"text","text":{"n":1}},{"type":"text"},{"type":"video","url":"u"}]}"#,
            r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"7"},{"type":"text","text":"null"},{"type":"text","text":"{\"n\":1}"},{"type":"text","text":""},{"type":"text","text":"{\"type\":\"video\",\"url\":\"u\"}"}]}"#,
            &["/content/0", "/content/1", "/content/2", "/content/3", "/content/4", "/content/5"],
        ),
        (
            r#"{"content":[{"type":"text","text":"x","annotations":null,"_meta":[]},{"type":"image","data":"data:image/png;base64,AA-_","mimeType":"image/png"}]}"#,
            r#"{"content":[{"type":"text","text":"x"},{"type":"image","data":"AA+/","mimeType":"image/png"}]}"#,
            &["/content/0/annotations", "/content/0/_meta", "/content/1/data"],
        ),
    ] {
        call(answer, expected, places);
    }
    let big = format!(r#"{{"content":[{{"type":"image","data":"!{}"}}]}}"#, "A".repeat(20_000));
    let Conformity::Mended(mended, _) = conform_answer("tools/call", LATEST, &RawJson::parse(big).unwrap())
    else {
        panic!("a block that no host reads is not shown")
    };
    assert!(mended.as_str().contains("bytes of content") && mended.as_bytes().len() < 200, "{mended}");
}

#[test]
fn other_members_have_the_form_of_the_host_s_revision() {
    let list = r#"{"content":[],"structuredContent":[1]}"#;
    check("tools/call", ProtocolVersion::V2026_07_28, list, Some(list), &[]);
    call(list, r#"{"content":[]}"#, &["/structuredContent"]);
    for (answer, expected, places) in [
        (r#"{"content":[],"structuredContent":null}"#, r#"{"content":[]}"#, &["/structuredContent"][..]),
        (r#"{"content":[],"isError":null}"#, r#"{"content":[]}"#, &["/isError"]),
        (r#"{"content":[],"isError":"True"}"#, r#"{"content":[],"isError":true}"#, &["/isError"]),
        (r#"{"content":[],"isError":0}"#, r#"{"content":[],"isError":false}"#, &["/isError"]),
        (r#"{"content":[],"_meta":null}"#, r#"{"content":[]}"#, &["/_meta"]),
        (
            r#"{"content":[],"_meta":{"progressToken":null,"io.modelcontextprotocol/related-task":7,"a":null}}"#,
            r#"{"content":[],"_meta":{"a":null}}"#,
            &["/_meta/progressToken", "/_meta/io.modelcontextprotocol/related-task"],
        ),
        (
            r#"{"content":[],"_meta":{"progressToken":1.5,"io.modelcontextprotocol/related-task":{"taskId":7}}}"#,
            r#"{"content":[],"_meta":{}}"#,
            &["/_meta/progressToken", "/_meta/io.modelcontextprotocol/related-task"],
        ),
        (
            r#"{"content":[],"structuredContent":{"\ud800":"\udc00"}}"#,
            r#"{"content":[],"structuredContent":{"\ufffd":"\ufffd"}}"#,
            &[""],
        ),
    ] {
        call(answer, expected, places);
    }
    check("ping", LATEST, r#"{"x":"\ud800"}"#, Some(r#"{"x":"\ufffd"}"#), &[""]);
    let link = r#"{"content":[{"type":"resource_link","uri":"a:b","name":"n"}]}"#;
    let sound = r#"{"content":[{"type":"audio","data":"","mimeType":"m"}]}"#;
    let as_text = |block: &str| {
        format!(r#"{{"content":[{{"type":"text","text":{}}}]}}"#, serde_json::to_string(block).unwrap())
    };
    let (link_block, sound_block) = (&link[12..link.len() - 2], &sound[12..sound.len() - 2]);
    check("tools/call", ProtocolVersion::V2025_03_26, link, Some(&as_text(link_block)), &["/content/0"]);
    check("tools/call", ProtocolVersion::V2024_11_05, sound, Some(&as_text(sound_block)), &["/content/0"]);
    check("tools/call", ProtocolVersion::V2025_03_26, sound, Some(sound), &[]);
    check("tools/call", LATEST, r#"{"content":[],"content":[]}"#, None, &[""]);
}

#[test]
fn resources_prompts_and_completions_are_repaired_like_content() {
    for (method, answer, expected, places) in [
        (
            "resources/read",
            r#"{"contents":{"uri":"a:b","text":{"n":1},"mimeType":null}}"#,
            r#"{"contents":[{"uri":"a:b","text":"{\"n\":1}"}]}"#,
            &["/contents", "/contents/0/text", "/contents/0/mimeType"][..],
        ),
        (
            "resources/read",
            r#"{"contents":[{"uri":"a:b","text":null,"blob":"AA"},{"text":"x"}]}"#,
            r#"{"contents":[{"uri":"a:b","text":null,"blob":"AA"}]}"#,
            &["/contents/1"],
        ),
        (
            "prompts/get",
            r#"{"messages":[{"role":"system","content":"a"},"b",{"role":"assistant","content":[{"type":"text","text":"c"},{"type":"text","text":"d"}]}],"description":null}"#,
            r#"{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"content":{"type":"text","text":"b"},"role":"user"},{"role":"assistant","content":{"type":"text","text":"c"}},{"role":"assistant","content":{"type":"text","text":"d"}}]}"#,
            &[
                "/messages/0/role",
                "/messages/0/content",
                "/messages/1",
                "/messages/1/role",
                "/messages/2/content",
                "/description",
            ],
        ),
        (
            "completion/complete",
            r#"{"completion":{"values":["a",7,null],"total":1.5,"hasMore":null}}"#,
            r#"{"completion":{"values":["a","7"]}}"#,
            &["/completion/values/1", "/completion/values/2", "/completion/total", "/completion/hasMore"],
        ),
        (
            "completion/complete",
            r#"{"completion":{}}"#,
            r#"{"completion":{"values":[]}}"#,
            &["/completion/values"],
        ),
        (
            "initialize",
            r#"{"protocolVersion":"x","serverInfo":{"version":1.5},"instructions":["a"]}"#,
            r#"{"protocolVersion":"x","serverInfo":{"version":"1.5","name":"unknown"},"capabilities":{}}"#,
            &["/capabilities", "/serverInfo/name", "/serverInfo/version", "/instructions"],
        ),
        (
            "server/discover",
            r#"{"supportedVersions":["x"],"capabilities":{},"instructions":7}"#,
            r#"{"supportedVersions":["x"],"capabilities":{}}"#,
            &["/instructions"],
        ),
    ] {
        check(method, LATEST, answer, Some(expected), places);
    }
    let many = format!(r#"{{"completion":{{"values":[{}""]}}}}"#, r#""a","#.repeat(100));
    let first = format!(r#"{{"completion":{{"values":[{}"a"]}}}}"#, r#""a","#.repeat(99));
    check("completion/complete", LATEST, &many, Some(&first), &["/completion/values"]);
    for (method, answer, place) in [
        ("resources/read", "{}", "/contents"),
        ("resources/read", r#"{"contents":[{"text":"x"}]}"#, "/contents"),
        ("prompts/get", r#"{"messages":7}"#, "/messages"),
        ("completion/complete", r#"{"completion":[]}"#, "/completion"),
        ("initialize", "{}", "/protocolVersion"),
    ] {
        check(method, LATEST, answer, None, &[place]);
    }
}

#[test]
fn only_the_first_block_of_a_message_has_the_other_members() {
    check(
        "prompts/get",
        LATEST,
        r#"{"messages":[{"role":"assistant","x":1,"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}"#,
        Some(
            r#"{"messages":[{"role":"assistant","x":1,"content":{"type":"text","text":"a"}},{"role":"assistant","content":{"type":"text","text":"b"}}]}"#,
        ),
        &["/messages/0/content"],
    );
}

#[test]
fn an_answer_of_only_invalid_values_is_refused() {
    for (method, member) in [("tools/call", "content"), ("prompts/get", "messages")] {
        let flood = format!(r#"{{"{member}":[{}1]}}"#, "1,".repeat(100_000));
        check(method, LATEST, &flood, None, &[&format!("/{member}")]);
    }
    let text = r#"{"type":"text","text":""}"#;
    let (blocks, other) = (format!("{text},").repeat(2_000), "x".repeat(10_000));
    let one_message =
        format!(r#"{{"messages":[{{"role":"user","x":"{other}","content":[{blocks}{text}]}}]}}"#);
    check("prompts/get", LATEST, &one_message, None, &["/messages"]);
    let message = format!(r#"{{"role":"user","content":[{}1]}}"#, "1,".repeat(99));
    let many_messages = format!(r#"{{"messages":[{}{message}]}}"#, format!("{message},").repeat(10));
    check("prompts/get", LATEST, &many_messages, None, &["/messages"]);
    let some = format!(r#"{{"content":[{}1]}}"#, "1,".repeat(500));
    match conform_answer("tools/call", LATEST, &RawJson::parse(some).unwrap()) {
        Conformity::Mended(_, mends) => assert_eq!(mends.0.len(), 100),
        found => panic!("{found:?}"),
    }
}
