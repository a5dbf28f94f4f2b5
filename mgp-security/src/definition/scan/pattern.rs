//! Compiles patterns.

use regex::bytes as over_ascii;

/// A compiled pattern.
pub(super) type Pattern = over_ascii::Regex;

/// Compiles a pattern, in which classes such as `\w` are those of ASCII and case makes no difference.
///
/// # Errors
/// The error in the pattern.
pub(super) fn compile(pattern: &str) -> Result<Pattern, regex::Error> {
    over_ascii::RegexBuilder::new(pattern).unicode(false).case_insensitive(true).build()
}
