//! Tests of reading a tool's metadata.

use super::*;
use crate::{
    context::RiskLevel,
    json::{RawJson, RawObject},
    mcp::Tool,
};

fn read(text: &str) -> ToolMetadataReading {
    ToolMetadata::of_definition(&RawObject::parse(text.to_owned()).unwrap())
}

fn own(members: &str) -> ToolMetadataReading {
    read(&format!(r#"{{"name":"t","_meta":{{"dev.cloto/tool":{{{members}}}}}}}"#))
}

const ALL: &str = r#"{"version":"1.2.3-rc.1","deprecated":"use b","examples":[{"description":"d","arguments":{"a":1},"result":{"b":2}}],"errors":[{"error_type":"ValidationError","when":"a is negative"},{"error_type":"Jam"}],"idempotent":true,"idempotency":"the same","security_notes":["reads files"],"author":"ann","tags":["x"],"cost":{"category":"metered","estimated_units":1.5,"unit_label":"credits"},"latency":"minutes","quota":{"limit":20,"remaining":12,"resets_at":"2026-03-16T00:00:00Z"},"input_types":["image/png"],"output_types":["application/json"],"max_input_size_bytes":10485760,"binary_transport":"multipart","compensation":{"tool":"undo","arguments":{"id":"$result/id"},"description":"d"},"required_scopes":["read:x"],"requires_confirmation":true,"confirmation_message":"Delete {a}?","risk_level":"destructive","supports_streaming":true,"supports_pagination":false,"x-other":[1e999]}"#;

#[test]
fn all_members_are_read_and_written_unchanged() {
    let all = RawObject::parse(ALL).unwrap();
    let definition =
        RawObject::from_iter([("_meta", RawObject::from_iter([(TOOL_KEY, all.to_json())]).to_json())]);
    let ToolMetadataReading { metadata, ignored } = ToolMetadata::of_definition(&definition);
    assert_eq!(ignored, []);
    let mut meta = RawObject::new();
    metadata.put(&mut meta).unwrap();
    assert_eq!(meta.get(TOOL_KEY).unwrap().as_str(), ALL);
    assert!(
        members::Member::ALL.iter().all(|member| member.is_set(&metadata)),
        "one member is not in the test"
    );
    assert_eq!(metadata.risk(), Some(RiskLevel::Dangerous));
}

#[test]
fn the_proposals_names_are_read_at_top_level_and_in_meta() {
    for text in [
        r#"{"name":"t","latency":"instant","scopes":["a"]}"#,
        r#"{"name":"t","_meta":{"latency":"instant","required_scopes":["a"]}}"#,
        r#"{"name":"t","latency":"minutes","_meta":{"dev.cloto/tool":{"latency":"instant","scopes":"a"}}}"#,
    ] {
        let ToolMetadataReading { metadata, ignored } = read(text);
        assert_eq!((metadata.latency, &ignored[..]), (Some(LatencyClass::Immediate), &[][..]), "{text}");
        assert_eq!(metadata.required_scopes, ["a"], "{text}");
        let tool: Tool = serde_json::from_str(text).unwrap();
        assert_eq!(ToolMetadata::of_tool(&tool).metadata, metadata, "{text}");
    }
}

#[test]
fn unreadable_metadata_is_named_and_written_back_unchanged() {
    let ToolMetadataReading { metadata, ignored } = own(
        r#""version":"one","latency":"slow","tags":["a",7,"b"],"max_input_size_bytes":-1,"author":"  ","cost":{"category":7}"#,
    );
    assert_eq!((metadata.version.as_ref(), metadata.tags.len()), (None, 2));
    let reasons: Vec<String> = ignored.iter().map(ToString::to_string).collect();
    let expected = [
        r#"version in _meta["dev.cloto/tool"]: expected a version such as 1.2.3, found "one": unexpected character 'o' while parsing major version number"#,
        r#"author in _meta["dev.cloto/tool"]: expected a text, found an empty one"#,
        "tags/1 in the list: expected a text, found a number",
        r#"cost in _meta["dev.cloto/tool"]: invalid category: invalid type: integer `7`, expected a string at line 1 column 1"#,
        r#"latency in _meta["dev.cloto/tool"]: unknown latency "slow": expected instant, seconds or minutes"#,
        r#"max_input_size_bytes in _meta["dev.cloto/tool"]: expected a whole number that is not negative, found -1"#,
    ];
    for (reason, expected) in reasons.iter().zip(expected) {
        let subject = expected.split(": ").next().unwrap();
        assert!(reason.starts_with(subject), "{reason}");
    }
    assert_eq!(reasons.len(), expected.len(), "{reasons:#?}");
    let mut meta = RawObject::new();
    metadata.put(&mut meta).unwrap();
    let written = meta.get(TOOL_KEY).unwrap().as_str();
    assert!(written.contains(r#""version":"one""#) && written.contains(r#""tags":["a","b"]"#), "{written}");
}

#[test]
fn the_strictest_risk_counts_and_unreadable_is_the_strictest() {
    let confirmation = |text| read(text).metadata.requires_confirmation;
    let risk = |text| read(text).metadata.risk();
    assert_eq!(
        confirmation(
            r#"{"requires_confirmation":true,"_meta":{"dev.cloto/tool":{"requires_confirmation":false}}}"#
        ),
        Some(true)
    );
    assert_eq!(confirmation(r#"{"requires_confirmation":"yes"}"#), Some(true));
    assert_eq!(confirmation(r#"{"confirmation_required":true}"#), Some(true));
    assert_eq!(confirmation(r#"{"requires_confirmation":null}"#), None);
    assert_eq!(
        risk(r#"{"risk_level":"safe","_meta":{"risk_level":"reversible"}}"#),
        Some(RiskLevel::Moderate)
    );
    assert_eq!(risk(r#"{"risk_level":"harmless"}"#), Some(RiskLevel::Dangerous));
    assert_eq!(risk(r#"{"risk_level":"moderate"}"#), Some(RiskLevel::Moderate));
    let sizes = r#"{"max_input_size_bytes":10,"_meta":{"dev.cloto/tool":{"max_input_size_bytes":100}}}"#;
    assert_eq!(read(sizes).metadata.max_input_size_bytes, Some(10));
}

#[test]
fn the_highest_cost_counts_and_a_malformed_one_in_part() {
    let cost = |text: &str| read(text).metadata.cost.map(|cost| (cost.category, cost.estimated_units));
    for (text, expected) in [
        (
            r#"{"cost":{"category":"free"},"_meta":{"cost":{"category":"requires_approval","estimated_units":2}}}"#,
            Some((CostCategory::RequiresApproval, Some(2.0))),
        ),
        (
            r#"{"cost":{"estimated_units":9},"_meta":{"dev.cloto/tool":{"cost":{"category":"free","estimated_units":1}}}}"#,
            Some((CostCategory::Free, Some(9.0))),
        ),
        (r#"{"cost":{"estimated_units":9}}"#, Some((CostCategory::Metered, Some(9.0)))),
        (r#"{"cost":{"category":7,"estimated_units":"many"}}"#, None),
        (r#"{"cost":"a lot"}"#, None),
    ] {
        assert_eq!(cost(text), expected, "{text}");
    }
}

#[test]
fn everything_is_bounded() {
    let many = |entry: &str, count| vec![entry.to_owned(); count].join(",");
    let ToolMetadataReading { metadata, ignored } = own(&format!(
        r#""tags":[{}],"examples":[{}],"confirmation_message":"{}","compensation":{{"tool":"{}"}}"#,
        many(r#""a""#, MAX_ITEMS + 1),
        many("{}", 1000),
        "x".repeat(MAX_TEXT + 1),
        "x".repeat(40_000),
    ));
    assert_eq!((metadata.tags.len(), metadata.examples.len()), (MAX_ITEMS, MAX_EXAMPLES));
    assert_eq!((metadata.confirmation_message, metadata.compensation), (None, None));
    assert_eq!(ignored.len(), 4, "{ignored:?}");
    let long = own(&format!(r#""author":"a","x":"{}""#, "x".repeat(MAX_METADATA)));
    assert!(is_strictest(&long.metadata) && long.ignored[0].reason.contains("expected at most 262144 bytes"));
}

/// Returns whether metadata only state that a call is destructive and to be confirmed.
fn is_strictest(metadata: &ToolMetadata) -> bool {
    let (requires_confirmation, risk_level) = (Some(true), Some(Impact::Destructive));
    *metadata == ToolMetadata { requires_confirmation, risk_level, ..ToolMetadata::default() }
}

#[test]
fn ambiguous_metadata_counts_as_the_strictest() {
    for text in [
        r#"{"_meta":{"dev.cloto/tool":{"author":"a","author":"b"}}}"#,
        r#"{"_meta":{"dev.cloto/tool":["a"]}}"#,
        r#"{"_meta":{"a":1,"a":2,"dev.cloto/tool":{"author":"a"}}}"#,
    ] {
        let ToolMetadataReading { metadata, ignored } = read(text);
        assert!(is_strictest(&metadata) && ignored.len() == 1, "{text}: {ignored:?}");
        let tool: Tool = serde_json::from_str(&text.replacen('{', r#"{"name":"t","#, 1)).unwrap();
        assert!(is_strictest(&ToolMetadata::of_tool(&tool).metadata), "{text}");
    }
    assert_eq!(read(r#"{"_meta":{"dev.cloto/tool":null}}"#), ToolMetadataReading::default());
    assert_eq!(read(r#"{"name":"t","_meta":7,"annotations":[]}"#), ToolMetadataReading::default());
}

#[test]
fn short_forms_of_errors_and_examples_are_read() {
    let metadata = own(
        r#""errors":["Jam",{"code":"RATE","description":"too many"}],"examples":{"a":1},"deprecated":true"#,
    )
    .metadata;
    assert_eq!(metadata.errors[0].error_type, "Jam");
    assert_eq!(metadata.errors[1], DeclaredError::new("RATE", "too many"));
    assert_eq!(metadata.examples[0].arguments.to_json(), RawJson::parse(r#"{"a":1}"#).unwrap());
    assert_eq!(metadata.deprecated, Some(Deprecation::default()));
}
