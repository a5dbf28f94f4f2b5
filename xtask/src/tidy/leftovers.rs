//! Finds unfinished work in the text.

use super::Finding;
use crate::rust_code::{RustCode, find_word};
use crate::tree::Tree;

/// Cut in two, so that this file does not contain the words that it searches for.
const OPEN_ENDS: &[&str] =
    &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("HA", "CK")];
const UNFINISHED: &[&str] =
    &[concat!("to", "do!"), concat!("unimple", "mented!"), concat!("db", "g!"), concat!("#[ig", "nore")];

/// Finds remarks about future work, in any file.
pub(super) fn open_ends(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.own() {
        for word in OPEN_ENDS {
            let places = find_word(&file.text, word);
            findings.extend(places.map(|at| Finding::on_line(&file.path, file.line_at(at), *word)));
        }
    }
    findings
}

/// Finds stubs, debug prints and tests that do not run, in code.
pub(super) fn unfinished(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        let code = RustCode::parse(&file.text);
        for word in UNFINISHED {
            let places = find_word(&code.bare, word);
            findings.extend(places.map(|at| Finding::on_line(&file.path, file.line_at(at), *word)));
        }
    }
    findings
}

/// Finds placeholders in documents for a number or a table.
pub(super) fn blanks(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.path.ends_with(".md")) {
        for (number, line) in (1..).zip(file.text.lines()) {
            let found = blanks_of(line).map(|blank| Finding::on_line(&file.path, number, blank));
            findings.extend(found);
        }
    }
    findings
}

/// Finds a capital letter, then letters and digits, between two `@`.
fn blanks_of(line: &str) -> impl Iterator<Item = String> {
    let names = line.split('@').skip(1);
    // There is no name after the last `@`.
    let closed = line.matches('@').count().saturating_sub(1);
    let is_blank = |name: &&str| {
        name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(|c| c.is_ascii_alphanumeric())
    };
    names.take(closed).filter(is_blank).map(|name| format!("@{name}@"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_is_found_in_any_kind_of_file() {
        for word in OPEN_ENDS {
            let text = format!("fine\n# {word}: later\n");
            assert_eq!(open_ends(&Tree::of(&[("a.toml", &text)])), [Finding::on_line("a.toml", 2, *word)]);
        }
        assert_eq!(open_ends(&Tree::of(&[("a.md", "MAX_TODOS and hacks")])), []);
        let input = ("a/tests/corpus/b.txt", concat!("rg TO", "DO"));
        assert_eq!(open_ends(&Tree::of(&[input])), []);
    }

    #[test]
    fn a_blank_in_a_document_is_found_and_an_address_is_not() {
        // Cut in two, as above.
        let (one, two) = (concat!("@H", "10@"), concat!("@Tab", "LE@"));
        let text = format!("fine\ntakes {one} ms, over {two}\n");
        let found = blanks(&Tree::of(&[("a.md", &text), ("b.rs", &text)]));
        assert_eq!(found, [Finding::on_line("a.md", 2, one), Finding::on_line("a.md", 2, two)]);
        for fine in
            ["ann@Example.com and bob@Example.com", "@example/notes@1.0", "@lower@", "@1A@", "@@", "@A"]
        {
            assert_eq!(blanks(&Tree::of(&[("a.md", fine)])), [], "{fine}");
        }
    }

    #[test]
    fn unfinished_code_is_found_and_the_same_words_in_text_are_not() {
        for word in UNFINISHED {
            let tree = Tree::of(&[
                ("a.rs", &format!("fn a() {{\n {word} }}")),
                ("b.rs", &format!("// {word}\n\"{word}\"")),
            ]);
            assert_eq!(unfinished(&tree), [Finding::on_line("a.rs", 2, *word)]);
        }
    }
}
