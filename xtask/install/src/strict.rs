//! The rule that a missing prerequisite fails the run in CI.

/// Returns `true` in CI, where nobody reads a line about a skipped check.
#[must_use]
pub fn is_strict() -> bool {
    std::env::var("CI").is_ok_and(|ci| ci == "true" || ci == "1")
}
