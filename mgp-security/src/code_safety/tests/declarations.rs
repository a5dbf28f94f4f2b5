//! Short forms of declarations.

use crate::code_safety::CodeRules;
use mgp_types::code_safety::{CodeSafety, SafetyLevel};

pub(super) fn declared(language: &str, level: SafetyLevel) -> CodeSafety {
    CodeSafety { level, language: Some(language.to_owned()), ..Default::default() }
}

pub(super) fn rules(language: &str, level: SafetyLevel) -> CodeRules {
    CodeRules::of([&declared(language, level)])
}

pub(super) fn list(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(ToString::to_string).collect())
}
