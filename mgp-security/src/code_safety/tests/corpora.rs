//! The corpora: programs that try to get around the checks, and programs that users really send.

use super::declarations::rules;
use mgp_types::code_safety::SafetyLevel;
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

/// Returns the programs of a corpus, which is one file, or a folder with a file for each kind of programs. A line that starts with `%%% `
/// names the program below it.
fn corpus(path: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/code_safety").join(path);
    let files = if path.is_dir() { files_of(&path) } else { vec![path] };
    files.iter().flat_map(|file| programs(&std::fs::read_to_string(file).unwrap())).collect()
}

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    files
}

fn programs(text: &str) -> Vec<(String, String)> {
    let programs = text.split("%%% ").skip(1).map(|program| program.split_once('\n').unwrap());
    programs.map(|(name, code)| (name.to_owned(), code.trim_end().to_owned())).collect()
}

/// Checks that a corpus of evasions has a number of different programs, and that none passes at `strict` in a language.
fn no_evasion_passes(path: &str, language: &str, at_least: usize) {
    let evasions = corpus(path);
    let rules = rules(language, SafetyLevel::Strict);
    let passing: Vec<_> = evasions.iter().filter(|(_, code)| rules.check(code).is_ok()).collect();
    assert!(passing.is_empty(), "{} of {}: {passing:#?}", passing.len(), evasions.len());
    assert!(different(&evasions) >= at_least, "{}", evasions.len());
}

/// Checks that a corpus has a number of different programs, and that at `standard` at most one in `share` is refused in a language.
fn harmless_programs_pass(path: &str, language: &str, at_least: usize, share: usize) {
    let programs = corpus(path);
    let rules = rules(language, SafetyLevel::Standard);
    let refused: Vec<_> = programs
        .iter()
        .filter_map(|(name, code)| Some((name, rules.check(code).err()?.violations)))
        .collect();
    assert!(refused.len() * share <= programs.len(), "{} of {}: {refused:#?}", refused.len(), programs.len());
    assert!(different(&programs) >= at_least, "{}", programs.len());
}

/// Checks that a corpus of evasions has a number of different programs, and that at most 1 % pass at `strict` in a language.
fn hardly_an_evasion_passes(path: &str, language: &str, at_least: usize) {
    let evasions = corpus(path);
    let rules = rules(language, SafetyLevel::Strict);
    let passing: Vec<_> = evasions.iter().filter(|(_, code)| rules.check(code).is_ok()).collect();
    println!("{} of {} pass in {language}: {passing:#?}", passing.len(), evasions.len());
    assert!(passing.len() * 100 <= evasions.len(), "{} of {}", passing.len(), evasions.len());
    assert!(different(&evasions) >= at_least, "{}", evasions.len());
}

fn different(programs: &[(String, String)]) -> usize {
    programs.iter().map(|(_, code)| code).collect::<HashSet<_>>().len()
}

#[test]
fn no_evasion_in_python_passes_at_strict() {
    no_evasion_passes("python/evasions", "python", 2000);
}

#[test]
fn harmless_python_passes_at_standard() {
    harmless_programs_pass("python/harmless", "python", 700, 50);
}

#[test]
fn hardly_an_evasion_in_javascript_passes_at_strict() {
    for language in ["javascript", "typescript", "tsx"] {
        hardly_an_evasion_passes("javascript/evasions", language, 1850);
    }
    hardly_an_evasion_passes("typescript/evasions", "typescript", 320);
}

#[test]
fn harmless_javascript_passes_at_standard() {
    harmless_programs_pass("javascript/harmless", "javascript", 400, 50);
    harmless_programs_pass("typescript/harmless", "typescript", 55, 50);
}

#[test]
fn hardly_an_evasion_in_bash_passes_at_strict() {
    hardly_an_evasion_passes("bash/evasions", "bash", 2900);
}

#[test]
fn harmless_bash_passes_at_standard() {
    harmless_programs_pass("bash/harmless", "bash", 600, 20);
}
