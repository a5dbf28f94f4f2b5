//! The documents that a newcomer looks for are there, and the first ones are short.

use super::Finding;
use crate::tree::Tree;

const DOCUMENTS: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "docs/decisions/README.md",
    "docs/security.md",
    "docs/dependencies.md",
];

/// The limits of the documents that are read first.
const LIMITS: &[(&str, Limit)] =
    &[("README.md", Limit::Lines(150)), ("ARCHITECTURE.md", Limit::Bytes(20_000))];

/// The most that a document may hold.
enum Limit {
    Lines(usize),
    Bytes(usize),
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let is_there = |path: &str| tree.file(path).is_some_and(|file| !file.text.trim().is_empty());
    let missing = DOCUMENTS.iter().filter(|path| !is_there(path));
    missing.map(|path| Finding::in_file(path, "is missing or empty")).collect()
}

/// Finds documents that are longer than their limit.
pub(super) fn sizes(tree: &Tree) -> Vec<Finding> {
    let sizes = LIMITS.iter().filter_map(|(path, limit)| {
        let text = &tree.file(path)?.text;
        Some((path, limit, text.lines().count(), text.len()))
    });
    let too_long = sizes.filter_map(|(path, limit, lines, bytes)| match limit {
        Limit::Lines(most) if lines > *most => Some((path, format!("{lines} lines, at most {most}"))),
        Limit::Bytes(most) if bytes > *most => Some((path, format!("{bytes} bytes, at most {most}"))),
        Limit::Lines(_) | Limit::Bytes(_) => None,
    });
    too_long.map(|(path, what)| Finding::in_file(path, what)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_and_an_empty_document_are_found() {
        let all: Vec<_> = DOCUMENTS.iter().map(|path| (*path, "text")).collect();
        assert_eq!(check(&Tree::of(&all)), []);
        let mut some = all.clone();
        some[0].1 = " \n";
        some.pop();
        assert_eq!(
            check(&Tree::of(&some)),
            [
                Finding::in_file("README.md", "is missing or empty"),
                Finding::in_file("docs/dependencies.md", "is missing or empty"),
            ]
        );
    }

    #[test]
    fn a_document_beyond_its_limit_is_found() {
        let of = |lines: usize, bytes: usize| {
            let texts = ["x\n".repeat(lines), "x".repeat(bytes)];
            sizes(&Tree::of(&[("README.md", &texts[0]), ("ARCHITECTURE.md", &texts[1])]))
        };
        assert_eq!(of(150, 20_000), []);
        assert_eq!(
            of(151, 20_001),
            [
                Finding::in_file("README.md", "151 lines, at most 150"),
                Finding::in_file("ARCHITECTURE.md", "20001 bytes, at most 20000"),
            ]
        );
    }
}
