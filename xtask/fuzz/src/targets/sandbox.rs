//! The validator `sandbox`: no text panics or takes too many steps, and no text that a shell reads as a delete of everything passes.

use crate::{steps, text::valid_start};
use mgp_security::{
    profile::{ConfiguredTool, ToolFacts, ToolProfile, assess},
    validator::{Input, Leaf, Sandbox, Validator, Verdict},
};
use mgp_types::{context::TrustLevel, json::RawJson, mcp::Tool};
use std::sync::LazyLock;

static PROFILE: LazyLock<ToolProfile> = LazyLock::new(|| {
    let configured = ConfiguredTool { validator: Some("sandbox".into()), ..Default::default() };
    assess(&ToolFacts::new(&Tool::new("t", RawJson::empty_object()), TrustLevel::Trusted, &[], &configured))
});

fn verdict(text: &str) -> Verdict {
    Sandbox.check(&Input::new(&[Leaf::new("/command", text)], &PROFILE))
}

pub(super) fn run(data: &[u8]) {
    let text = valid_start(data);
    steps::check(text, |text| drop(verdict(text)));
    // Commands after a complete one are judged, whatever the first one is.
    if verdict(text) == Verdict::Pass {
        assert_ne!(verdict(&format!("{text}\nrm -rf /\n")), Verdict::Pass);
        assert_ne!(verdict(&format!("rm -rf /\n{text}")), Verdict::Pass);
    }
}
