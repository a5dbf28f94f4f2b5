//! Texts that instruct a model to do more than call the tool.

use super::{
    Finding, FindingKind,
    pattern::{Pattern, PatternSet, compile, compile_set},
};
use mgp_types::printable::is_unseen;
use std::sync::{LazyLock, OnceLock};
use unicode_normalization::UnicodeNormalization;

/// The shapes of instructions.
const TABLE: &str = include_str!("instructions.tsv");

/// A shape of instructions.
struct Shape {
    reason: &'static str,
    text: &'static str,
    /// The pattern, once a text has matched it together with the others.
    pattern: OnceLock<Option<Pattern>>,
}

impl Shape {
    fn pattern(&self) -> Option<&Pattern> {
        self.pattern.get_or_init(|| compile(self.text).ok()).as_ref()
    }
}

/// The shapes, and their patterns compiled together. A row that does not compile fails a test.
static SHAPES: LazyLock<(PatternSet, Vec<Shape>)> = LazyLock::new(|| {
    let shapes = rows().map(|(reason, text)| Shape { reason, text, pattern: OnceLock::new() });
    let set = compile_set(rows().map(|(_, text)| text)).unwrap_or_else(|_| PatternSet::empty());
    (set, shapes.collect())
});

fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
}

/// Returns the instructions in a text, at most one of each kind.
pub(super) fn find(path: &str, text: &str) -> Vec<Finding> {
    let (read, lossy) = (as_read(text), String::from_utf8_lossy);
    let mut findings: Vec<Finding> = Vec::new();
    let (set, shapes) = &*SHAPES;
    for shape in set.matches(read.as_bytes()).iter().filter_map(|at| shapes.get(at)) {
        let reason = shape.reason;
        if findings.iter().any(|finding| finding.reason == reason) {
            continue;
        }
        if let Some(found) = shape.pattern().and_then(|pattern| pattern.find(read.as_bytes())) {
            findings.push(Finding::new(FindingKind::Instruction, path, reason, &lossy(found.as_bytes())));
        }
    }
    findings
}

/// Returns a text as a model is likely to understand it: without invisible characters and accents of style, letters that look like Latin
/// ones as these, and runs of blanks as one.
fn as_read(text: &str) -> String {
    let mut read = String::with_capacity(text.len());
    // ASCII characters are their own normal form.
    let (ascii, other) = if text.is_ascii() { (text, "") } else { ("", text) };
    let visible = ascii.chars().chain(other.nfkc()).filter(|c| !is_unseen(*c));
    for c in visible.map(latin) {
        match c {
            '\n' | '\r' if read.ends_with('\n') => {}
            '\n' | '\r' => read.push('\n'),
            c if c.is_whitespace() => {
                if !read.ends_with([' ', '\n']) {
                    read.push(' ');
                }
            }
            '\u{2018}' | '\u{2019}' => read.push('\''),
            '\u{201c}' | '\u{201d}' => read.push('"'),
            c => read.push(c),
        }
    }
    // A sentence that is split into lines is still one.
    read.replace(" \n", "\n")
}

/// Returns the Latin letter that a Cyrillic or Greek letter looks like.
const fn latin(c: char) -> char {
    match c {
        'а' | 'α' => 'a',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'с' | 'ϲ' => 'c',
        'С' => 'C',
        'ԁ' => 'd',
        'е' | 'ҽ' => 'e',
        'Е' | 'Ε' => 'E',
        'һ' => 'h',
        'Н' | 'Η' => 'H',
        'і' | 'ι' => 'i',
        'І' | 'Ι' => 'I',
        'ј' => 'j',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'Ν' => 'N',
        'о' | 'ο' => 'o',
        'О' | 'Ο' => 'O',
        'р' | 'ρ' => 'p',
        'Р' | 'Ρ' => 'P',
        'ѕ' => 's',
        'Ѕ' => 'S',
        'Т' | 'Τ' => 'T',
        'ν' => 'v',
        'ѡ' => 'w',
        'х' | 'χ' => 'x',
        'Х' | 'Χ' => 'X',
        'у' | 'γ' => 'y',
        'У' | 'Υ' => 'Y',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_compiles() {
        let written = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(rows().count(), written);
        for (reason, pattern) in rows() {
            assert!(compile(pattern).is_ok(), "{reason}: {pattern}");
        }
        let (set, shapes) = &*SHAPES;
        assert_eq!((set.len(), shapes.len()), (written, written));
    }

    #[test]
    fn a_text_is_read_without_invisible_characters() {
        assert_eq!(as_read("ig\u{200b}nore\u{a0}\tall"), "ignore all");
        assert_eq!(as_read("ｉｇｎоrе"), "ignore");
    }
}
