//! The validator `readonly`: no text panics, and none passes that a statement that writes follows.

use super::text::valid_start;
use mgp_security::{
    profile::{ConfiguredTool, ToolFacts, ToolProfile, assess},
    validator::{Input, Leaf, ReadOnly, Validator, Verdict},
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
    let configured = ConfiguredTool { validator: Some("readonly".into()), ..Default::default() };
    assess(&ToolFacts::new(&tool, TrustLevel::Trusted, &[], &configured))
});

fn verdict(text: &str) -> Verdict {
    ReadOnly.check(&Input::new(&[Leaf::new("/sql", text)], &PROFILE))
}

pub(super) fn run(data: &[u8]) {
    let text = valid_start(data);
    if verdict(text) == Verdict::Pass {
        assert_ne!(verdict(&format!("DROP TABLE t;{text}")), Verdict::Pass);
    }
}
