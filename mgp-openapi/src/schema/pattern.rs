//! Patterns that a gateway can check values against.

use crate::limits::MAX_PATTERNS;
use mgp_types::json_schema::CompiledSchema;
use serde_json::json;
use std::collections::HashMap;

/// The patterns of a document, each compiled once.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    usable: HashMap<String, bool>,
}

impl Patterns {
    /// Returns whether values can be checked against a pattern. One that is not a regular expression of JSON Schema, or
    /// takes more than linear time, would make the whole schema unusable.
    pub(super) fn is_usable(&mut self, pattern: &str) -> bool {
        if let Some(is_usable) = self.usable.get(pattern) {
            return *is_usable;
        }
        if self.usable.len() >= MAX_PATTERNS {
            return false;
        }
        let is_usable = CompiledSchema::compile(&json!({"pattern": pattern})).is_ok();
        self.usable.insert(pattern.to_owned(), is_usable);
        is_usable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_patterns_that_compile_are_usable() {
        let mut patterns = Patterns::default();
        for (pattern, expected) in [
            ("^[a-z]+$", true),
            ("[a-z]{1-7}", false),
            ("(", false),
            (r"\A.\Z", false),
            ("(?!a)b", false),
            ("^[a-z]+$", true),
        ] {
            assert_eq!(patterns.is_usable(pattern), expected, "{pattern}");
        }
    }
}
