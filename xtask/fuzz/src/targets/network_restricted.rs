//! The validator `network_restricted`: no text panics or takes too many steps, and no text that begins with a URL of this machine passes.

use crate::{profile::read_only, steps, text::valid_start};
use mgp_security::{
    profile::ToolProfile,
    validator::{Input, Leaf, NetworkRestricted, Validator, Verdict},
};
use std::sync::LazyLock;

static PROFILE: LazyLock<ToolProfile> = LazyLock::new(|| read_only("network_restricted"));

fn verdict(text: &str) -> Verdict {
    NetworkRestricted.check(&Input::new(&[Leaf::new("/text", text)], &PROFILE))
}

pub(super) fn run(data: &[u8]) {
    let text = valid_start(data);
    verdict(text);
    steps::check(text, |text| drop(verdict(text)));
    assert_ne!(verdict(&format!("http://127.0.0.1/ {text}")), Verdict::Pass);
}
