//! Tests that everything sent to hosts is valid by MCP's published schemas, for any definition or answer of a server.
//!
//! `published/` holds the checked parts of the schemas that MCP publishes for each revision (`schema/REVISION/schema.json` in its
//! repository), without their descriptions.

use super::{
    Conformity, conform_answer, conform_prompt, conform_resource, conform_resource_template, conform_tool,
};
use crate::{json::RawJson, json_schema::CompiledSchema, mcp::ProtocolVersion};
use serde_json::{Map, Value, json};

const VERSIONS: [(ProtocolVersion, &str); 5] = [
    (ProtocolVersion::V2024_11_05, include_str!("published/2024-11-05.json")),
    (ProtocolVersion::V2025_03_26, include_str!("published/2025-03-26.json")),
    (ProtocolVersion::V2025_06_18, include_str!("published/2025-06-18.json")),
    (ProtocolVersion::V2025_11_25, include_str!("published/2025-11-25.json")),
    (ProtocolVersion::V2026_07_28, include_str!("published/2026-07-28.json")),
];

/// The number of odd values that are made of each kind.
const COUNT: u64 = 2_500;

type Conform = fn(&RawJson) -> Conformity;

/// The kinds of definitions, with the name of each in MCP's schema, and a definition that has everything.
fn definitions() -> [(&'static str, Conform, Value); 4] {
    let icons = json!([{"src": "https://a.example/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}]);
    let notes = json!({"audience": ["user"], "priority": 0.5, "lastModified": "2026-01-31T12:00:00Z"});
    let schema = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"$ref": "#/$defs/b"}}, "required": ["a"], "$defs": {"b": {}}});
    [
        (
            "Tool",
            conform_tool,
            json!({"name": "n", "title": "t", "description": "d", "inputSchema": schema, "outputSchema": schema,
                "annotations": {"title": "t", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
                    "openWorldHint": false},
                "execution": {"taskSupport": "optional"}, "icons": icons, "_meta": {"a": 1}}),
        ),
        (
            "Resource",
            conform_resource,
            json!({"uri": "a:b", "name": "n", "title": "t", "description": "d", "mimeType": "text/plain", "size": 7,
                "annotations": notes, "icons": icons, "_meta": {"a": 1}}),
        ),
        (
            "ResourceTemplate",
            conform_resource_template,
            json!({"uriTemplate": "a:{b}", "name": "n", "title": "t", "description": "d", "mimeType": "text/plain",
                "annotations": notes, "icons": icons, "_meta": {"a": 1}}),
        ),
        (
            "Prompt",
            conform_prompt,
            json!({"name": "n", "title": "t", "description": "d", "icons": icons, "_meta": {"a": 1},
                "arguments": [{"name": "a", "title": "t", "description": "d", "required": true}, {"name": "b"}]}),
        ),
    ]
}

/// The methods, with the name of each answer in MCP's schema, and an answer that has everything.
fn answers() -> [(&'static str, &'static str, Value); 4] {
    let notes =
        json!({"audience": ["assistant"], "priority": 1, "lastModified": "2026-01-31T12:00:00+01:00"});
    let text = json!({"type": "text", "text": "t", "annotations": notes, "_meta": {"a": 1}});
    let blocks = json!([
        text,
        {"type": "image", "data": "AA==", "mimeType": "image/png", "annotations": notes},
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "a:b", "text": "t", "mimeType": "text/plain"}},
        {"type": "resource", "resource": {"uri": "a:b", "blob": "AA"}, "annotations": notes},
        {"type": "resource_link", "uri": "a:b", "name": "n", "title": "t", "size": 7, "icons": [{"src": "a:i"}]},
    ]);
    [
        (
            "tools/call",
            "CallToolResult",
            json!({"content": blocks, "structuredContent": {"a": [1]}, "isError": false, "_meta": {"a": 1}}),
        ),
        (
            "resources/read",
            "ReadResourceResult",
            json!({"contents": [{"uri": "a:b", "text": "t"}, {"uri": "a:c", "blob": "AAAA", "_meta": {"a": 1}}]}),
        ),
        (
            "prompts/get",
            "GetPromptResult",
            json!({"description": "d", "messages": [{"role": "user", "content": text},
                {"role": "assistant", "content": blocks[1]}]}),
        ),
        (
            "completion/complete",
            "CompleteResult",
            json!({"completion": {"values": ["a", "b"], "total": 2, "hasMore": false}}),
        ),
    ]
}

/// A sequence of numbers that depends only on its seed (SplitMix64).
struct Numbers(u64);

impl Numbers {
    /// Returns a number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 33).unwrap() % end
    }
}

/// The text that stands for an unpaired surrogate until the value is written.
const HALF: &str = "half a character";

/// Returns a value of any kind.
fn any(numbers: &mut Numbers) -> Value {
    let values = [
        Value::Null,
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(-7),
        json!(1.5),
        json!(9_007_199_254_740_993_u64),
        json!(""),
        json!("text"),
        json!("object"),
        json!("true"),
        json!("a b"),
        json!("data:image/png;base64,AA-_"),
        json!(HALF),
        json!([]),
        json!([null]),
        json!(["text", 7, {}]),
        json!(["object", "null"]),
        json!([{"type": "text", "text": "t"}]),
        json!({}),
        json!({"type": "object"}),
        json!({"type": ["null", "object"], "required": null, "properties": {"a": true, "b": false, "c": null}}),
        json!({"anyOf": [{"required": ["a"]}]}),
        json!({"$ref": "#/$defs/none"}),
        json!({"type": "string", "pattern": "(?i)[a-z]"}),
        json!({"patternProperties": {"[": {}}}),
        json!({"type": "object", "id": "http://x/y"}),
        json!({"type": ["string", "null"], "nullable": false}),
        json!({"properties": {"a": {"$id": "a"}, "b": {"$id": "a"}, "default": {"$ref": "#/none"}}}),
        json!({"type": "text", "text": null}),
        json!({"type": "video", "url": "a:b"}),
        json!({"uri": "not a uri", "text": "t"}),
        json!({ HALF: HALF }),
    ];
    values[numbers.below(values.len())].clone()
}

/// Makes one change somewhere in a value: another value, a member less or more, a list of it, an item twice.
fn change(value: &mut Value, numbers: &mut Numbers) {
    let is_here = numbers.below(4) == 0;
    match value {
        Value::Object(members) if !is_here && !members.is_empty() => {
            let key = members.keys().nth(numbers.below(members.len())).unwrap().clone();
            change_member(members, &key, numbers);
        }
        Value::Array(items) if !is_here && !items.is_empty() => {
            let at = numbers.below(items.len());
            match numbers.below(4) {
                0 => {
                    let again = items[at].clone();
                    items.push(again);
                }
                1 => items.insert(at, any(numbers)),
                _ => change(&mut items[at], numbers),
            }
        }
        _ => *value = any(numbers),
    }
}

fn change_member(members: &mut Map<String, Value>, key: &str, numbers: &mut Numbers) {
    match numbers.below(8) {
        0 => {
            members.remove(key);
        }
        1 => {
            let list = json!([members[key]]);
            members.insert(key.to_owned(), list);
        }
        2 => {
            members.insert("unknown".to_owned(), any(numbers));
        }
        3 | 4 => {
            members.insert(key.to_owned(), any(numbers));
        }
        _ => change(&mut members[key], numbers),
    }
}

/// Returns an odd value, made from a valid one. One in three hundred is of a completely different kind.
fn odd(valid: &Value, seed: u64) -> RawJson {
    let mut numbers = Numbers(seed);
    let mut value = valid.clone();
    for _ in 0..=numbers.below(4) {
        match &mut value {
            Value::Object(members) if numbers.below(300) > 0 && !members.is_empty() => {
                let key = members.keys().nth(numbers.below(members.len())).unwrap().clone();
                change_member(members, &key, &mut numbers);
            }
            value => *value = any(&mut numbers),
        }
    }
    RawJson::parse(value.to_string().replace(HALF, r"\ud800")).unwrap()
}

fn published(text: &str, name: &str) -> CompiledSchema {
    let mut schema: Value = serde_json::from_str(text).unwrap();
    let definitions = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
    schema["allOf"] = json!([{ "$ref": format!("#/{definitions}/{name}") }]);
    CompiledSchema::compile(&schema).unwrap()
}

/// Asserts that the value that a host gets is valid, and returns whether the host gets any.
fn check(value: &RawJson, conform: impl Fn(&RawJson) -> Conformity, is_valid: impl Fn(&RawJson)) -> bool {
    let shown = match conform(value) {
        Conformity::Valid => value.clone(),
        Conformity::Mended(mended, mends) => {
            assert!(!mends.0.is_empty(), "{value}");
            assert_eq!(conform(&mended), Conformity::Valid, "{value} became {mended}");
            mended
        }
        Conformity::Invalid(_) => return false,
    };
    is_valid(&shown);
    true
}

#[test]
fn every_shown_definition_fits_the_published_schemas() {
    for (name, conform, whole) in definitions() {
        let schemas = VERSIONS.map(|(version, text)| (version, published(text, name)));
        let is_valid = |shown: &RawJson| {
            for (version, schema) in &schemas {
                assert_eq!(schema.check(shown), Ok(()), "{name} of {version}: {shown}");
            }
        };
        assert_eq!(conform(&RawJson::from_value(&whole).unwrap()), Conformity::Valid, "{name}");
        let shown = (0..COUNT).filter(|seed| check(&odd(&whole, *seed), conform, is_valid)).count();
        assert!(shown > 1_000, "only {shown} of {COUNT} odd definitions of a {name} are shown");
    }
}

#[test]
fn every_given_answer_fits_the_host_s_published_schema() {
    for (method, name, whole) in answers() {
        let mut given = 0;
        for (at, (version, text)) in VERSIONS.into_iter().enumerate() {
            let schema = published(text, name);
            let is_valid = |answer: &RawJson| {
                let mut answer: Value = answer.decode().unwrap();
                if version.is_stateless() {
                    // The edge of the connection adds these.
                    answer["resultType"] = json!("complete");
                    answer["ttlMs"] = json!(0);
                    answer["cacheScope"] = json!("private");
                }
                let answer = RawJson::from_value(&answer).unwrap();
                assert_eq!(schema.check(&answer), Ok(()), "{name} of {version}: {answer}");
            };
            let conform = |answer: &RawJson| conform_answer(method, version, answer);
            // Each revision gets different values.
            let seeds = (0..COUNT).filter(|seed| seed % 5 == u64::try_from(at).unwrap());
            given += seeds.filter(|seed| check(&odd(&whole, *seed), conform, is_valid)).count();
        }
        assert!(given > 200, "only {given} of {COUNT} odd answers to {method} are given");
    }
}
