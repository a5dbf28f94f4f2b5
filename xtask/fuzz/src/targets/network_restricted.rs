//! The validator `network_restricted`: no text panics, and none passes that begins with a URL of this machine.

use super::text::valid_start;
use mgp_security::{
    profile::{ConfiguredTool, ToolFacts, ToolProfile, assess},
    validator::{Input, Leaf, NetworkRestricted, Validator, Verdict},
};
use mgp_types::{
    context::TrustLevel,
    json::RawJson,
    mcp::{Tool, ToolAnnotations},
};
use std::sync::LazyLock;

static PROFILE: LazyLock<ToolProfile> = LazyLock::new(|| {
    let annotations = Some(ToolAnnotations { read_only_hint: Some(true), ..Default::default() });
    let tool = Tool { annotations, ..Tool::new("t", RawJson::empty_object()) };
    let configured = ConfiguredTool { validator: Some("network_restricted".into()), ..Default::default() };
    assess(&ToolFacts::new(&tool, TrustLevel::Trusted, &[], &configured))
});

fn verdict(text: &str) -> Verdict {
    NetworkRestricted.check(&Input::new(&[Leaf::new("/text", text)], &PROFILE))
}

pub(super) fn run(data: &[u8]) {
    let text = valid_start(data);
    verdict(text);
    assert_ne!(verdict(&format!("http://127.0.0.1/ {text}")), Verdict::Pass);
}
