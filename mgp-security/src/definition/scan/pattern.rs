//! Compiles patterns.

use regex::bytes as over_ascii;

/// A compiled pattern.
pub(super) type Pattern = over_ascii::Regex;

/// Compiles a case-insensitive pattern whose classes, such as `\w`, are limited to ASCII.
///
/// # Errors
/// The error in the pattern.
pub(super) fn compile(pattern: &str) -> Result<Pattern, regex::Error> {
    over_ascii::RegexBuilder::new(pattern).unicode(false).case_insensitive(true).build()
}
