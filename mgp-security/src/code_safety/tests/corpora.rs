//! The corpora: programs that try to evade the checks, and real programs of users.

use super::declarations::rules;
use mgp_types::code_safety::SafetyLevel;
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

/// Returns the programs of a corpus, which is one file, or a folder with a file for each kind of programs; none if the file does not
/// exist. A line that starts with `%%% ` names the program below it.
fn corpus(path: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/code_safety").join(path);
    let files = match path.is_dir() {
        true => files_of(&path),
        false => path.is_file().then_some(path).into_iter().collect(),
    };
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

/// Checks the evasions in a folder: a number of different programs, none of which passes at `strict` in a language. Those that pass are
/// in a separate file, and are at most 1 % of all.
fn hardly_an_evasion_passes(folder: &str, language: &str, at_least: usize) {
    let rules = rules(language, SafetyLevel::Strict);
    let (evasions, known) =
        (corpus(&format!("{folder}/evasions")), corpus(&format!("{folder}/evasions_that_pass.txt")));
    let passing: Vec<_> = evasions.iter().filter(|(_, code)| rules.check(code).is_ok()).collect();
    assert!(passing.is_empty(), "pass in {language}: {passing:#?}");
    let refused: Vec<_> = known.iter().filter(|(_, code)| rules.check(code).is_err()).collect();
    assert!(refused.is_empty(), "no longer pass in {language}, to be moved to the others: {refused:#?}");
    assert!(known.len() * 100 <= evasions.len() + known.len(), "{} pass in {language}", known.len());
    assert!(different(&evasions) >= at_least, "{}", evasions.len());
}

/// Checks the harmless programs in a folder: a number of different programs, none of which is refused at `standard` in a language.
/// Those that are refused are in a separate file, and are at most one in `share` of all.
fn harmless_programs_pass(folder: &str, language: &str, at_least: usize, share: usize) {
    let rules = rules(language, SafetyLevel::Standard);
    let (programs, known) =
        (corpus(&format!("{folder}/harmless")), corpus(&format!("{folder}/harmless_but_refused.txt")));
    let refused: Vec<_> = programs
        .iter()
        .filter_map(|(name, code)| Some((name, rules.check(code).err()?.violations)))
        .collect();
    assert!(refused.is_empty(), "refused in {language}: {refused:#?}");
    let passing: Vec<_> = known.iter().filter(|(_, code)| rules.check(code).is_ok()).collect();
    assert!(passing.is_empty(), "pass now in {language}, to be moved to the others: {passing:#?}");
    assert!(known.len() * share <= programs.len() + known.len(), "{} are refused in {language}", known.len());
    assert!(different(&programs) >= at_least, "{}", programs.len());
}

fn different(programs: &[(String, String)]) -> usize {
    programs.iter().map(|(_, code)| code).collect::<HashSet<_>>().len()
}

#[test]
fn no_evasion_in_python_passes_at_strict() {
    hardly_an_evasion_passes("python", "python", 2000);
}

#[test]
fn harmless_python_passes_at_standard() {
    harmless_programs_pass("python", "python", 700, 50);
}

#[test]
fn few_evasions_in_javascript_pass_at_strict() {
    for language in ["javascript", "typescript", "tsx"] {
        hardly_an_evasion_passes("javascript", language, 1850);
    }
    hardly_an_evasion_passes("typescript", "typescript", 320);
}

#[test]
fn harmless_javascript_passes_at_standard() {
    harmless_programs_pass("javascript", "javascript", 400, 50);
    harmless_programs_pass("typescript", "typescript", 55, 50);
}

#[test]
fn few_evasions_in_bash_pass_at_strict() {
    hardly_an_evasion_passes("bash", "bash", 2900);
}

#[test]
fn harmless_bash_passes_at_standard() {
    harmless_programs_pass("bash", "bash", 600, 20);
}
