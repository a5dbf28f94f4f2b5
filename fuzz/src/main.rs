//! LLVM's fuzzer, linked to one target, which the variable `MGP_FUZZ_TARGET` names.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use xtask_fuzz::TARGETS;

static RUN: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("MGP_FUZZ_TARGET").unwrap_or_default();
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    target.unwrap_or_else(|| panic!("MGP_FUZZ_TARGET is `{name}`, which is not a target")).1
});

fuzz_target!(|data: &[u8]| RUN(data));
