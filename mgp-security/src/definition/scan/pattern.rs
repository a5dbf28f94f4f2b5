//! Compiles patterns.

use regex::bytes as over_ascii;

/// A compiled pattern.
pub(super) type Pattern = over_ascii::Regex;

/// Patterns that are searched for together, which takes hardly longer than one of them.
pub(super) type PatternSet = over_ascii::RegexSet;

/// Compiles several patterns like [`compile`].
///
/// # Errors
/// The first error in a pattern.
pub(super) fn compile_set<'a>(patterns: impl Iterator<Item = &'a str>) -> Result<PatternSet, regex::Error> {
    over_ascii::RegexSetBuilder::new(patterns).unicode(false).case_insensitive(true).build()
}

/// Compiles a case-insensitive pattern whose classes, such as `\w`, are limited to ASCII.
///
/// # Errors
/// The error in the pattern.
pub(super) fn compile(pattern: &str) -> Result<Pattern, regex::Error> {
    over_ascii::RegexBuilder::new(pattern).unicode(false).case_insensitive(true).build()
}
