//! No Rust file is longer than 800 lines, unless it is generated.

use super::Finding;
use crate::tree::{File, Tree};

const MAX_LINES: usize = 800;
/// A mark in the head of a generated file.
const GENERATED: &str = "@generated";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let long = written(tree).filter(|file| length(file) > MAX_LINES);
    long.map(|file| Finding::in_file(&file.path, format!("{} lines, at most {MAX_LINES}", length(file))))
        .collect()
}

/// Returns the longest files, longest first.
pub(super) fn largest(tree: &Tree, count: usize) -> Vec<(usize, &str)> {
    let mut files: Vec<_> = written(tree).map(|file| (length(file), file.path.as_str())).collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    files.truncate(count);
    files
}

fn written(tree: &Tree) -> impl Iterator<Item = &File> {
    tree.rust().filter(|file| !file.text.lines().take(5).any(|line| line.contains(GENERATED)))
}

fn length(file: &File) -> usize {
    file.text.lines().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_801_lines_is_found_and_one_of_800_is_not() {
        let tree = Tree::of(&[("long.rs", &"x\n".repeat(801)), ("short.rs", &"x\n".repeat(800))]);
        assert_eq!(check(&tree), [Finding::in_file("long.rs", "801 lines, at most 800")]);
    }

    #[test]
    fn generated_files_may_be_long() {
        let text = format!("// @generated\n{}", "x\n".repeat(900));
        assert_eq!(check(&Tree::of(&[("long.rs", &text)])), []);
    }

    #[test]
    fn the_longest_files_are_first() {
        let tree = Tree::of(&[("a.rs", "x\n"), ("b.rs", "x\nx\n"), ("c.md", "x\nx\nx\n"), ("d.rs", "")]);
        assert_eq!(largest(&tree, 2), [(2, "b.rs"), (1, "a.rs")]);
    }
}
