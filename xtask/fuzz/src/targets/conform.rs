//! Definitions and answers that break MCP's schema: the repaired ones are valid, for every revision.

use mgp_types::{
    json::RawJson,
    mcp::{
        CallTool, Complete, Discover, GetPrompt, Initialize, ProtocolVersion, ReadResource,
        conform::{
            Conformity, conform_answer, conform_prompt, conform_resource, conform_resource_template,
            conform_tool,
        },
    },
    rpc::Call,
};

const METHODS: [&str; 6] = [
    CallTool::METHOD,
    ReadResource::METHOD,
    GetPrompt::METHOD,
    Complete::METHOD,
    Initialize::METHOD,
    Discover::METHOD,
];

const DEFINITIONS: [fn(&RawJson) -> Conformity; 4] =
    [conform_tool, conform_resource, conform_resource_template, conform_prompt];

fn check(value: &RawJson, conform: impl Fn(&RawJson) -> Conformity) {
    if let Conformity::Mended(mended, mends) = conform(value) {
        assert!(!mends.0.is_empty(), "a change is noted");
        assert_eq!(conform(&mended), Conformity::Valid, "{mended}");
    }
}

pub(super) fn run(data: &[u8]) {
    let Ok(value) = RawJson::parse(data.to_vec()) else { return };
    for conform in DEFINITIONS {
        check(&value, conform);
    }
    for method in METHODS {
        for version in ProtocolVersion::LATEST_FIRST {
            check(&value, |value| conform_answer(method, version, value));
        }
    }
}
