//! The validator `readonly`: no text panics or takes too many steps, and no text after a statement that writes passes.

use crate::{profile::read_only, steps, text::valid_start};
use mgp_security::{
    profile::ToolProfile,
    validator::{Input, Leaf, ReadOnly, Validator, Verdict},
};
use std::sync::LazyLock;

static PROFILE: LazyLock<ToolProfile> = LazyLock::new(|| read_only("readonly"));

fn verdict(text: &str) -> Verdict {
    ReadOnly.check(&Input::new(&[Leaf::new("/sql", text)], &PROFILE))
}

pub(super) fn run(data: &[u8]) {
    let text = valid_start(data);
    steps::check(text, |text| drop(verdict(text)));
    if verdict(text) == Verdict::Pass {
        assert_ne!(verdict(&format!("DROP TABLE t;{text}")), Verdict::Pass);
    }
}
