//! The names of tests: sentences that are short enough to be read in a list of failures.

use super::Finding;
use crate::{
    rust_code::RustCode,
    tree::{File, Tree},
};

/// The longest name, in characters.
const MAX_LENGTH: usize = 60;

/// Finds tests with a longer name, or with one that begins with a question word.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(tests).collect()
}

fn tests(file: &File) -> Vec<Finding> {
    let code = RustCode::parse(&file.text).bare;
    let mut is_test = false;
    let mut findings = Vec::new();
    for (at, line) in code.lines().map(str::trim).enumerate() {
        is_test |= ["#[test]", "#[tokio::test]", "#[tokio::test("].iter().any(|word| line.starts_with(word));
        let Some(name) = function_name(line) else { continue };
        if std::mem::take(&mut is_test)
            && let Some(problem) = problem(name)
        {
            findings.push(Finding::on_line(
                &file.path,
                at + 1,
                format!("the name of the test {name} {problem}"),
            ));
        }
    }
    findings
}

/// Returns the name of the function that a line declares.
fn function_name(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub") || *word == "async");
    let name = words.next().filter(|word| *word == "fn").and(words.next())?;
    name.split(['(', '<']).next()
}

fn problem(name: &str) -> Option<String> {
    let length = name.chars().count();
    if length > MAX_LENGTH {
        return Some(format!("has {length} characters: expected at most {MAX_LENGTH}"));
    }
    name.starts_with("what_").then(|| "begins with a question word".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overlong_name_and_a_question_word_are_found() {
        let long = "a".repeat(61);
        let text = format!(
            "#[test]\nfn what_is_wrong() {{}}\n#[tokio::test(start_paused = true)]\n#[cfg_attr(\n    miri,\n    ignore\n)]\nasync fn {long}() {{}}\n#[test]\nfn {long}(number in 0..9) {{}}\n"
        );
        let too_long = format!("the name of the test {long} has 61 characters: expected at most 60");
        let expected = [
            Finding::on_line(
                "a/src/b.rs",
                2,
                "the name of the test what_is_wrong begins with a question word",
            ),
            Finding::on_line("a/src/b.rs", 8, too_long.clone()),
            Finding::on_line("a/src/b.rs", 10, too_long),
        ];
        assert_eq!(check(&Tree::of(&[("a/src/b.rs", &text)])), expected);
    }

    #[test]
    fn short_names_other_functions_and_samples_pass() {
        let (most, long) = ("a".repeat(60), "a".repeat(61));
        let text = format!(
            "#[test]\nfn {most}() {{}}\nfn {long}() {{}}\nfn what_else() {{}}\n// #[test]\n// fn what_now() {{}}\nconst A: &str = \"\n#[test]\nfn what_then() {{}}\n\";\n"
        );
        assert_eq!(check(&Tree::of(&[("a/src/b.rs", &text)])), []);
    }
}
