//! No blanks at the end of a line, and exactly one line break at the end of a file.

use super::Finding;
use crate::tree::{File, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let blank = |line: &str| line.ends_with([' ', '\t', '\r']);
    let trailing = file.text.split('\n').enumerate().filter(|(_, line)| blank(line));
    let mut findings: Vec<_> =
        trailing.map(|(index, _)| Finding::on_line(&file.path, index + 1, "ends in blanks")).collect();
    if !file.text.is_empty() && !file.text.ends_with('\n') {
        findings.push(Finding::in_file(&file.path, "has no line break at its end"));
    }
    if file.text.ends_with("\n\n") {
        findings.push(Finding::in_file(&file.path, "ends in an empty line"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_and_a_wrong_end_are_found() {
        let tree =
            Tree::of(&[("a.md", "x\ny \n"), ("b.rs", "x"), ("c.rs", "x\n\n"), ("d.rs", "x\n"), ("e.rs", "")]);
        assert_eq!(
            check(&tree),
            [
                Finding::on_line("a.md", 2, "ends in blanks"),
                Finding::in_file("b.rs", "has no line break at its end"),
                Finding::in_file("c.rs", "ends in an empty line"),
            ]
        );
    }
}
