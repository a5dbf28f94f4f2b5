//! §7.4 Hints that help an agent to fix its code.

use super::{CodeRules, languages::Language, violation::Violation};
use mgp_types::code_safety::{CodeHints, SafetyLevel};

/// Returns the hints for refused code.
pub(super) fn hints(rules: &CodeRules, violations: &[Violation]) -> CodeHints {
    let policy = rules.language.as_deref().and_then(Language::of).map(Language::policy);
    let mut blocked = rules.blocked.clone();
    let imports = violations.iter().filter(|violation| violation.is_import);
    blocked.extend(imports.filter_map(|violation| violation.name.clone()));
    blocked.sort_unstable();
    blocked.dedup();
    let names = violations.iter().filter_map(|violation| violation.name.as_deref());
    let replacements =
        names.filter_map(|name| Some((name.to_owned(), policy?.replacement(name)?.to_owned())));
    // Below `strict`, an import is not refused for being unlisted. A list that the tool declares replaces these hints.
    let of_level = policy.filter(|_| rules.level >= SafetyLevel::Strict);
    let defaults = || of_level.map(|policy| policy.allowed.iter().map(ToString::to_string).collect());
    CodeHints {
        blocked_imports: Some(blocked).filter(|all| !all.is_empty()),
        allowed_imports: rules.allowed.clone().or_else(defaults),
        max_code_size_bytes: rules.limit(),
        replacements: Some(replacements.collect())
            .filter(|all: &std::collections::BTreeMap<_, _>| !all.is_empty()),
    }
}
