//! The target that the fuzzer runs.

use crate::TARGETS;
use std::sync::LazyLock;

/// The environment variable that names a target, as `xtask/src/fuzz/target.rs` sets it.
const VARIABLE: &str = "MGP_FUZZ_TARGET";

/// Runs the target that the environment variable `MGP_FUZZ_TARGET` names.
///
/// # Panics
/// If the variable names no target, or if the target panics.
pub fn run_chosen(data: &[u8]) {
    static RUN: LazyLock<fn(&[u8])> = LazyLock::new(|| {
        let name = std::env::var(VARIABLE).unwrap_or_default();
        let target = TARGETS.iter().find(|(known, _)| *known == name);
        target.unwrap_or_else(|| panic!("{VARIABLE} is `{name}`, which is not a target")).1
    });
    RUN(data);
}
