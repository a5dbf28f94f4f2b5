//! The documents that a newcomer looks for are there.

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

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let is_there = |path: &str| tree.file(path).is_some_and(|file| !file.text.trim().is_empty());
    let missing = DOCUMENTS.iter().filter(|path| !is_there(path));
    missing.map(|path| Finding::in_file(path, "is missing or empty")).collect()
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
}
