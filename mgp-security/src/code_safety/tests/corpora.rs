//! The corpora: programs that try to get around the checks, and programs that users really send.

use super::declarations::rules;
use mgp_types::code_safety::SafetyLevel;
use std::{collections::HashSet, path::Path};

/// Returns the programs of a corpus. A line that starts with `%%% ` names the program below it.
fn corpus(path: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/code_safety");
    let text = std::fs::read_to_string(folder.join(path)).unwrap();
    let programs = text.split("%%% ").skip(1).map(|program| program.split_once('\n').unwrap());
    programs.map(|(name, code)| (name.to_owned(), code.trim_end().to_owned())).collect()
}

/// Checks that a corpus of evasions is large enough, and that none passes at `strict`.
fn no_evasion_passes(language: &str) {
    let evasions = corpus(&format!("{language}/evasions"));
    let rules = rules(language, SafetyLevel::Strict);
    let passing: Vec<_> = evasions.iter().filter(|(_, code)| rules.check(code).is_ok()).collect();
    assert!(passing.is_empty(), "{} of {}: {passing:#?}", passing.len(), evasions.len());
    let different: HashSet<_> = evasions.iter().map(|(_, code)| code).collect();
    assert!(different.len() >= 150, "{}", different.len());
}

/// Checks that a corpus of harmless programs is large enough, and that at `standard` at most 2 % are refused.
fn harmless_programs_pass(language: &str) {
    let programs = corpus(&format!("{language}/harmless"));
    let rules = rules(language, SafetyLevel::Standard);
    let refused: Vec<_> = programs
        .iter()
        .filter_map(|(name, code)| Some((name, rules.check(code).err()?.violations)))
        .collect();
    assert!(refused.len() * 50 <= programs.len(), "{} of {}: {refused:#?}", refused.len(), programs.len());
    let different: HashSet<_> = programs.iter().map(|(_, code)| code).collect();
    assert!(different.len() >= 100, "{}", different.len());
}

#[test]
fn no_evasion_in_python_passes_at_strict() {
    no_evasion_passes("python");
}

#[test]
fn harmless_python_passes_at_standard() {
    harmless_programs_pass("python");
}
